# needs: numpy
from multiprocessing import Pool

import numpy as np


def work(n):
    return float(np.linalg.det(np.eye(50) * n))


if __name__ == "__main__":
    with Pool(2) as pool:
        print(pool.map(work, [1, 2]))
