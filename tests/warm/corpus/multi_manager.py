from multiprocessing import Manager, Process


def work(shared):
    shared["x"] = 5


if __name__ == "__main__":
    with Manager() as manager:
        shared = manager.dict()
        process = Process(target=work, args=(shared,))
        process.start()
        process.join()
        print(dict(shared))
