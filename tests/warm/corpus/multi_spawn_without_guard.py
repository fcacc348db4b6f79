# status: 1
import multiprocessing


def work():
    pass


multiprocessing.set_start_method("spawn")
process = multiprocessing.Process(target=work)
process.start()
process.join()
raise SystemExit(process.exitcode)
