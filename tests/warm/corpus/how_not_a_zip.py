# A broken archive is read as source.
# how: $ python3 /code/app.zip
# files: app.zip=PK\x03\x04 broken
# status: 1
