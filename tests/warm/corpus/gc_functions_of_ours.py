# No function whose file is neither the script nor in the library.
import gc
import types

files = {o.__code__.co_filename for o in gc.get_objects() if isinstance(o, types.FunctionType)}
print(sorted(f for f in files if not f.startswith(("/usr/lib/python3", "<frozen", "<string>", "/code/"))))
