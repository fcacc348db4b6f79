# how: -c
# status: 130
import signal

signal.raise_signal(signal.SIGINT)
