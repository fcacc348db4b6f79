# What follows the script in the same stream is not for the script: it is parsed.
# how: stdin
# status: 1
import sys

print(repr(sys.stdin.read()))
undefined_name  # noqa: F821
