# differs: yes
import uuid

print(uuid.uuid1().node, uuid.getnode())
