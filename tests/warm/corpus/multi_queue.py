from multiprocessing import Process, Queue


def work(queue):
    for n in range(3):
        queue.put(n)


if __name__ == "__main__":
    queue = Queue()
    process = Process(target=work, args=(queue,))
    process.start()
    print([queue.get() for _ in range(3)])
    process.join()
