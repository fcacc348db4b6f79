"""rows - the programs that are run in every column, and those that time themselves."""

# HOME is empty in a fresh sandbox and matplotlib ignores a font list that it cannot
# write: every column links the image's, as glovebox does by itself.
_FONTS = """
import os
have, want = "/usr/share/glovebox/cache", os.path.expanduser("~/.cache/matplotlib")
os.makedirs(want, exist_ok=True)
for name in os.listdir(have) if os.path.isdir(have) else ():
    if not os.path.lexists(f"{want}/{name}"):
        os.symlink(f"{have}/{name}", f"{want}/{name}")
"""

_PANDAS = """
import pandas as pd
frame = pd.DataFrame({"key": [n % 7 for n in range(100000)], "value": range(100000)})
print(frame.groupby("key").value.sum().to_string())
"""

_PLOT = f"""{_FONTS}
import matplotlib.pyplot as plt
plt.plot([n * n for n in range(100)])
plt.savefig("/tmp/plot.png")
"""

_PYTHON = ("/usr/bin/python3", "-c")

ROWS: dict[str, tuple[str, ...]] = {
    "true": ("/bin/true",),
    "hello": (*_PYTHON, 'print("hi")'),
    "pandas": (*_PYTHON, _PANDAS),
    "plot": (*_PYTHON, _PLOT),
}
TITLES = {
    "true": "/bin/true",
    "hello": 'print("hi")',
    "pandas": "pandas sum",
    "plot": "matplotlib png",
}
NEEDS = {"pandas": "pandas", "plot": "matplotlib"}  # modules that "host" may lack

# Confined code at native speed: the scripts print seconds of wall clock and of CPU.
_TIMED = """
import os, time
def work():
{body}
wall, cpu = time.perf_counter(), time.process_time()
work()
print(time.perf_counter() - wall, time.process_time() - cpu)
"""

_CPU = """
    x = 1
    for n in range(2500000):
        x = (x * 31 + n) & 0xffffff
"""

_SYSCALLS = """
    fd = os.open("/usr/bin/env", os.O_RDONLY)
    for n in range(60000):
        os.stat("/usr/bin/env")
        os.getppid()
        os.read(fd, 1)
"""

SPEED: dict[str, tuple[str, ...]] = {
    "cpu": (*_PYTHON, _TIMED.format(body=_CPU)),
    "syscalls": (*_PYTHON, _TIMED.format(body=_SYSCALLS)),
}
