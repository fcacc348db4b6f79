# how: $ python3 /code/lib.zip
# files: lib.zip=b"PK\x05\x06" + b"\0" * 18
# status: 1
