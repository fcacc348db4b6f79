# The directories of the script are in it once something was looked for there.
import sys

print([type(f).__name__ for f in sys.path_importer_cache.values() if f is not None][:1])
print([p for p in sys.path_importer_cache if not p.startswith(("/usr", "/lib"))])
