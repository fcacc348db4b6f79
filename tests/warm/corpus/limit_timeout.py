# flags: --timeout 900ms
# status: 124
import time

print("before", flush=True)
time.sleep(20)
