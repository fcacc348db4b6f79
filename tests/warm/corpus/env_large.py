# flags: -e BIG={long}
import os

print(len(os.environ["BIG"]))
