# status: 142
import signal
import time

print(signal.alarm(0), flush=True)
signal.setitimer(signal.ITIMER_REAL, 0.05)
time.sleep(5)
