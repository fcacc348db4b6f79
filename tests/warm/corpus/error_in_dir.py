# how: dir
# status: 1
raise ValueError("in a directory")
