# The line is read when it is shown, not when it is compiled.
# flags: -v {out}:/work -w /work
# how: $ python3 /code/script.py
# status: 1
import sys

sys.path.insert(0, "/work")
sys.dont_write_bytecode = True
with open("/work/fickle.py", "w") as file:
    file.write("def f():\n    1 / 0\n")
import fickle  # noqa: E402

with open("/work/fickle.py", "w") as file:
    file.write("def f():\n    this is what stands there now\n")
fickle.f()
