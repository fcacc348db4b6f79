# how: $ python3 -c "1 + 1; 'nothing is shown'"
