# stdin: p x\nw\nc\n
import pdb


def f(x):
    pdb.set_trace()
    return x


f(5)
