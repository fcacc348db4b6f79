# differs: yes
import os

print(os.urandom(16), os.getrandom(16))
