# how: zip
print(__file__, __name__, __package__ == "", type(__loader__).__name__, __spec__.name)
