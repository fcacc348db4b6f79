# differs: yes
import tempfile
from multiprocessing import shared_memory

block = shared_memory.SharedMemory(create=True, size=1)
print(block.name)
block.close()
block.unlink()
