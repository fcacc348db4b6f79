for source in ("(" * 150 + ")" * 150, "-" * 5000 + "1", "x" + ".a" * 5000):
    try:
        compile(source, "deep", "eval")
        print("compiled")
    except (RecursionError, SyntaxError, MemoryError) as error:
        print(type(error).__name__, str(error)[:60])
