# how: $ python3 -c ''
