import gc
import io

print(sorted(str(o.name) for o in gc.get_objects() if isinstance(o, io.FileIO) and not o.closed))
