# Frames below the script's would shorten what is left for it.
depth = 0


def deeper():
    global depth
    depth += 1
    deeper()


try:
    deeper()
except RecursionError as error:
    print(depth, error)
