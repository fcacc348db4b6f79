# status: 1
import sys

sys.stderr = None
raise ValueError("hidden")
