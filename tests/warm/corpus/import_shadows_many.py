# files: string.py=X = "string"\n
# files: queue.py=X = "queue"\n
# files: decimal.py=X = "decimal"\n
# files: calendar.py=X = "calendar"\n
# files: statistics.py=X = "statistics"\n
# files: secrets.py=X = "secrets"\n
import calendar
import decimal
import queue
import secrets
import statistics
import string

for module in (calendar, decimal, queue, secrets, statistics, string):
    print(module.X, module.__file__)
