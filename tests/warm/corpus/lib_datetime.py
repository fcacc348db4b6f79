import datetime

print(datetime.datetime(2024, 2, 29) + datetime.timedelta(365), datetime.datetime.fromtimestamp(0), datetime.timezone.utc)
print(datetime.datetime(2024, 1, 1).astimezone().tzname(), datetime.datetime(2024, 1, 1).strftime("%A %B %c"))
