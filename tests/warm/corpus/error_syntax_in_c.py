# how: $ python3 -c "print('a'; x"
# status: 1
