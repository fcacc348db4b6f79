# how: $ python3 -sBc "import sys; print(sys.argv, sys.flags)" a
# warm: auto
