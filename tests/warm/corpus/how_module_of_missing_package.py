# how: -m no.such.package
# status: 1
