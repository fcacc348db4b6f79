# env: LD_PRELOAD=/nowhere.so
# warm: auto
print("ran")
