import multiprocessing
from concurrent.futures import ProcessPoolExecutor


def where(x):
    return x, __name__


if __name__ == "__main__":
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        print(pool.submit(where, 1).result())
