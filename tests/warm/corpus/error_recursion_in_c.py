depth = 0


class Deep:
    def __repr__(self):
        global depth
        depth += 1
        return repr([self])


try:
    repr(Deep())
except RecursionError as error:
    print(depth, error)
