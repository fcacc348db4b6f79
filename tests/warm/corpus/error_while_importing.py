# status: 1
# files: helper.py=import missing_module\n
import helper  # noqa: F401
