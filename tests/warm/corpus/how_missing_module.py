# how: -m no_such_module
# status: 1
