# env: LD_LIBRARY_PATH=/code
# warm: auto
import os

print(os.environ["LD_LIBRARY_PATH"])
