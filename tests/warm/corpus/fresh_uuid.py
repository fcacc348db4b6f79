# differs: yes
import uuid

print(uuid.uuid4())
