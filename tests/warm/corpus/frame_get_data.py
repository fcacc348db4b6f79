# files: pkg/__init__.py=\n
# files: pkg/data.txt=some data\n
import importlib.resources
import pkgutil

print(pkgutil.get_data("pkg", "data.txt"), importlib.resources.read_text("pkg", "data.txt"))
print(__loader__.get_source("__main__")[:20])
