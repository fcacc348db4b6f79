for _ in range(2):
    exec(r"print('\d')")
