# A file that takes the name of something pandas imports changes what pandas gets.
# needs: pandas
# status: 1
# files: six.py=print("my six")\nraise RuntimeError("mine")\n
# files: pytz.py=print("my pytz")\nraise RuntimeError("mine")\n
# files: dateutil.py=print("my dateutil")\nraise RuntimeError("mine")\n
import pandas  # noqa: F401
