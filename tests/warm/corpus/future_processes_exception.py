# status: 1
from concurrent.futures import ProcessPoolExecutor


def fail(x):
    raise ValueError(x)


with ProcessPoolExecutor(1) as pool:
    pool.submit(fail, 3).result()
