# env: MALLOC_PERTURB_=85
# warm: auto
print(bytes(3), bytearray(5))
