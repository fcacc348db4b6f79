import sys

print(sys.getrecursionlimit(), sys.getswitchinterval(), sys.dont_write_bytecode, sys.pycache_prefix)
print(sys.byteorder, sys.platform, sys.platlibdir, sys.version_info, sys.implementation.cache_tag)
print(sys.getdlopenflags(), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), sys.is_finalizing())
print(sys.is_stack_trampoline_active() if hasattr(sys, "is_stack_trampoline_active") else None)
