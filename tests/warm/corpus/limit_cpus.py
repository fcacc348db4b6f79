# flags: --cpus 0.5
import os

print({n: v for n, v in sorted(os.environ.items()) if "THREADS" in n}, os.cpu_count())
