import signal

print([signal.getitimer(which) for which in (0, 1, 2)])
