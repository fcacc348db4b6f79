import sys
import traceback

value = 1
try:
    value / 0
except ZeroDivisionError as error:
    summary = traceback.TracebackException.from_exception(error, capture_locals=True)
    print(sorted(summary.stack[0].locals))
    print(len(summary.stack), sys.exc_info()[2].tb_frame.f_back)
