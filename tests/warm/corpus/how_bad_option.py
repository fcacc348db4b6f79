# how: $ python3 --no-such-option
# status: 2
# warm: auto
