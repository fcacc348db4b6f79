# flags: --ulimit as=400000000
# status: 1
# warm: auto
x = bytearray(800 << 20)
