# needs: pandas
# files: pandas.py=X = "mine"\n
# files: numpy.py=X = "my numpy"\n
import numpy
import pandas

print(pandas.X, numpy.X)
