# how: $ python3 /code
# status: 1
