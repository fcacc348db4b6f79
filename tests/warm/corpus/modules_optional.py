# Libraries change what they do when another one is loaded.
import sys

names = ("numpy", "pandas", "matplotlib", "readline", "tkinter", "asyncio", "json", "logging", "threading")
print({name: name in sys.modules for name in names})
