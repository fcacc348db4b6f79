import logging

logging.basicConfig(format="%(process)d %(processName)s %(threadName)s %(module)s %(funcName)s %(lineno)d %(pathname)s %(message)s", level=0)


def f():
    logging.debug("from a function")


f()
logging.getLogger("a.b").error("at top level")
