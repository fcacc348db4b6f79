# how: $ sh -c 'echo before; python3 /code/script.py; echo after $?'
# warm: auto
raise SystemExit(3)
