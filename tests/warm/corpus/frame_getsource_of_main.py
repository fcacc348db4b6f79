import inspect
import sys

print(inspect.getsource(sys.modules["__main__"]))
print(inspect.getsourcelines(inspect.currentframe())[1])
