# An argument of 100 kB fits into execve; a request to a supervisor must hold it as well.
# how: $ python3 -c "import sys; print(len(sys.argv[1]), sys.argv[1][:3])"
# argv: {long}
