# runs: 3
import os
import signal

print(signal.getsignal(signal.SIGUSR1), oct(os.umask(0)), os.getcwd(), os.nice(5))
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
os.chdir("/tmp")
