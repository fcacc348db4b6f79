# how: $ python3 -c "  print(1)"
# status: 1
