import logging

print(logging.root.handlers, logging.root.level, logging.getLevelName(25), len(logging._handlerList))
