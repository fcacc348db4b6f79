import uuid

print(uuid.uuid5(uuid.NAMESPACE_DNS, "x"), uuid.UUID(int=5), uuid.NAMESPACE_URL)
