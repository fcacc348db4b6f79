# logging registers its own handler when it is first imported: after ours, so it runs before.
import atexit

atexit.register(print, "ours")
import logging  # noqa: E402


class Handler(logging.Handler):
    def emit(self, record):
        pass

    def close(self):
        print("logging.shutdown")
        super().close()


keep = Handler()
