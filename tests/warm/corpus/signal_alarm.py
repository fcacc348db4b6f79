import signal
import time


def ring(number, frame):
    print("rang", number, frame.f_code.co_name, frame.f_back)


signal.signal(signal.SIGALRM, ring)
print(signal.setitimer(signal.ITIMER_REAL, 0.05))
time.sleep(0.2)
print(signal.getitimer(signal.ITIMER_REAL))
