import marshal

code = compile("x = 1", "f", "exec")
print(len(marshal.dumps(code)), marshal.loads(marshal.dumps({1: (2, b"3")})))
