# files: other.py=import sys\nprint(__name__, __file__, sys.argv)\nresult = 7\n
import runpy
import sys

print(runpy.run_path("/code/other.py", run_name="__main__")["result"])
print(runpy.run_module("other", alter_sys=True)["result"], __name__, sys.argv)
