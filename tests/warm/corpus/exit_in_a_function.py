# status: 6
import sys


def deep(n):
    try:
        if n == 0:
            sys.exit(6)
        deep(n - 1)
    finally:
        if n > 3:
            print("unwound", n)


deep(5)
