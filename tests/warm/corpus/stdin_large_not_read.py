# stdin: b"x" * 1000000
print("ends without reading")
