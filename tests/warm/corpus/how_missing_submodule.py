# how: -m json.no_such
# status: 1
