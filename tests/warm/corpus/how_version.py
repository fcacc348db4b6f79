# how: $ python3 -V
# warm: auto
