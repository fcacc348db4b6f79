from multiprocessing import Pool


def double(x):
    return 2 * x


if __name__ == "__main__":
    with Pool(2) as pool:
        print(pool.map(double, range(6)), pool.apply(double, ("ab",)))
