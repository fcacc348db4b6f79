# The key with which processes prove who they are is made when the module is imported.
# differs: yes
import multiprocessing

print(bytes(multiprocessing.current_process().authkey))
