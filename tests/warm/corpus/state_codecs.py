import codecs

print(codecs.lookup("utf-8").name, codecs.lookup("latin1").name, codecs.lookup("idna").name)
try:
    codecs.lookup("no-such-codec")
except LookupError as error:
    print(error)
