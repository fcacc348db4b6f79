# status: 1
x = [0] * (1 << 60)
