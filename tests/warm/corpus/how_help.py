# how: $ python3 --help
# warm: auto
