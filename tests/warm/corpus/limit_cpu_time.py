# flags: --cpu-time 300ms
# status: 137
# mask: used [0-9.]+ seconds
# warm: auto
# The measured time.
while True:
    pass
