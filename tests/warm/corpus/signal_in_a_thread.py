import signal
import threading


def work():
    try:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    except ValueError as error:
        print(error)


thread = threading.Thread(target=work)
thread.start()
thread.join()
print(signal.signal(signal.SIGUSR1, signal.SIG_IGN))
