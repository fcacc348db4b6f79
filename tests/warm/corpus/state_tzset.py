import os
import time

print(time.tzname, time.timezone)
os.environ["TZ"] = "Asia/Tokyo"
print(time.localtime(0)[:6])
time.tzset()
print(time.tzname, time.timezone, time.localtime(0)[:6])
