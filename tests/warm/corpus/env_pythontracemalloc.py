# env: PYTHONTRACEMALLOC=3
# warm: auto
import tracemalloc

print(tracemalloc.is_tracing(), tracemalloc.get_traceback_limit())
