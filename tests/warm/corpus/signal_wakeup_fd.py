import signal

print(signal.set_wakeup_fd(-1), signal.default_int_handler, signal.getsignal(signal.SIGINT))
