# how: $ python3 -m platform
