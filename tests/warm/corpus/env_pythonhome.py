# env: PYTHONHOME=/nowhere
# warm: auto
# status: 1
# mask: 0x[0-9a-f]+
# The address of the thread is random.
print("never reached")
