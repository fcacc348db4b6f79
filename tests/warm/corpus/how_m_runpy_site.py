# how: $ python3 -m site
