import multiprocessing


def work(connection):
    connection.send((multiprocessing.current_process().name, __name__))


if __name__ == "__main__":
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=work, args=(there,))
    process.start()
    print(here.recv(), process.pid)
    process.join()
    print(process.exitcode)
