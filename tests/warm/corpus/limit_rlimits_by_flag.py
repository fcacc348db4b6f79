# flags: --ulimit nofile=100:200 --ulimit fsize=1000000 --ulimit stack=4194304
# warm: auto
import resource

for name in ("NOFILE", "FSIZE", "STACK"):
    print(name, resource.getrlimit(getattr(resource, f"RLIMIT_{name}")))
