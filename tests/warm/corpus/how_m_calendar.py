# how: $ python3 -m calendar 2024 2
