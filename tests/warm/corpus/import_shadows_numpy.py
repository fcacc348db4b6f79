# files: numpy.py=X = "my numpy"\n
# files: pandas.py=X = "my pandas"\n
import numpy
import pandas

print(numpy.X, pandas.X)
