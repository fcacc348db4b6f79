# how: missing
# status: 2
