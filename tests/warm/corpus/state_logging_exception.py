import logging

try:
    1 / 0
except ZeroDivisionError:
    logging.exception("with a traceback")
logging.error("with a stack", stack_info=True)
