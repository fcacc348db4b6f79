# how: $ python3 -c "print('\d')"
