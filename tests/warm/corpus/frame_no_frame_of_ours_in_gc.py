# No running function but the module is found among the objects.
import gc
import types

print([f.f_code.co_filename for f in gc.get_objects() if isinstance(f, types.FrameType) and f.f_lasti >= 0 and not f.f_code.co_filename.startswith(("/usr/lib/python3", "<frozen"))])
