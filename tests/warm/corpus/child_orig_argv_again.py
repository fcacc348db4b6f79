import os
import sys

if "AGAIN" in os.environ:
    print("again", sys.orig_argv, sys.argv)
else:
    os.environ["AGAIN"] = "1"
    print("once", flush=True)
    os.execvp(sys.orig_argv[0], sys.orig_argv)
