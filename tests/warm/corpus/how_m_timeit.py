# how: $ python3 -m timeit -n 1 -r 1 pass
# mask: [0-9.]+ [nu]?sec
# The time that it took differs.
