# The well-known accident: a file named random.py breaks tempfile, which imports random.
# status: 1
# files: random.py=print("mine")\n
import tempfile

print(tempfile.mkdtemp())
