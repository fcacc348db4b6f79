import signal

for number in sorted(signal.valid_signals()):
    print(int(number), signal.getsignal(number))
