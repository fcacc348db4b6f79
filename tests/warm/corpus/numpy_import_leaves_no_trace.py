# known: preloads are imported, with their warning filters
# needs: numpy
import gc
import os
import sys
import warnings

print(os.listdir("/tmp"), os.listdir(os.environ["HOME"]), len(os.listdir("/proc/self/fd")))
print(*warnings.filters, sep="\n")
print("numpy" in sys.modules, gc.get_threshold())
