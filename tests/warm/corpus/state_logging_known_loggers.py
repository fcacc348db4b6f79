# Modules that were imported beforehand made loggers.
import logging

print(sorted(logging.root.manager.loggerDict))
