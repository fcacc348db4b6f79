# how: $ python3 /dev/null
