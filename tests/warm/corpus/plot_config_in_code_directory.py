# A matplotlibrc in the working directory is read when the module is imported.
# needs: matplotlib
# files: matplotlibrc=lines.linewidth: 9\n
# flags: -w /code -v {code}:/code:ro
# how: $ python3 /code/script.py
# warm: auto
import matplotlib

print(matplotlib.rcParams["lines.linewidth"], matplotlib.matplotlib_fname())
