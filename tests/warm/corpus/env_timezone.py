# env: TZ=America/New_York
# warm: auto
import datetime
import time

print(time.tzname, time.timezone, time.localtime(0)[:6], time.strftime("%Z", time.localtime(0)))
print(datetime.datetime.fromtimestamp(0))
