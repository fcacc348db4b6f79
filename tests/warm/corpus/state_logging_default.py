import logging

logging.warning("to stderr")
logging.info("not shown")
print(logging.root, logging.root.handlers, logging.lastResort, logging.raiseExceptions)
