# Counted from the import of logging, in ms.
import logging

logging.basicConfig(format="%(message)s")
record = logging.LogRecord("n", 10, "p", 1, "m", (), None)
print(record.relativeCreated < 1000)
