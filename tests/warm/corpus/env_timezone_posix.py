# env: TZ=XYZ-3:30
# warm: auto
import time

print(time.tzname, time.timezone, time.altzone, time.daylight, time.localtime(0)[:6])
