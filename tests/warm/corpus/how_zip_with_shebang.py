# How an archive starts does not matter: what it ends with does.
# how: $ python3 /code/app
# files: app=b"#!/usr/bin/python3\nPK\x05\x06" + b"\0" * 18
# status: 1
