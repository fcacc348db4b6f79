# flags: --cpus 2
# warm: auto
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
import os

print(ThreadPoolExecutor()._max_workers, ProcessPoolExecutor()._max_workers, os.cpu_count())
