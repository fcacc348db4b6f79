# how: $ sh -c 'mkfifo /tmp/f; echo "print(__file__)" >/tmp/f & exec python3 /tmp/f'
# warm: auto
