# how: $ python3 /proc/1/environ
# status: 2
# warm: auto
