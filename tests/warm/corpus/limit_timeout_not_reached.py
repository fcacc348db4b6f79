# flags: --timeout 60s
print("in time")
