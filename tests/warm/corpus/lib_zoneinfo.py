import datetime
import zoneinfo

print(zoneinfo.TZPATH, zoneinfo.ZoneInfo.__module__)
try:
    zone = zoneinfo.ZoneInfo("Europe/Berlin")
    print(datetime.datetime(2024, 7, 1, 12, tzinfo=zone), zone)
except zoneinfo.ZoneInfoNotFoundError as error:
    print(error)
