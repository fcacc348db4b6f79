# Only a program that has loaded threading waits in it at its end.
import sys

print("threading" in sys.modules)
