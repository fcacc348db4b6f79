import atexit

atexit.register(print, "ours")
import multiprocessing.util  # noqa: E402

keep = multiprocessing.util.Finalize(None, print, args=("finalizer",), exitpriority=10)
print("end")
