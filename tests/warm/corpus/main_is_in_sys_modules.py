import sys

main = sys.modules["__main__"]
print(main, vars(main) is globals(), type(main))
