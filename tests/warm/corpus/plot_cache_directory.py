# needs: matplotlib
import os

import matplotlib
import matplotlib.font_manager  # noqa: F401

print(matplotlib.get_cachedir(), matplotlib.get_configdir())
print(sorted(f for _, _, files in os.walk(os.environ["HOME"]) for f in files), os.listdir("/tmp"))
