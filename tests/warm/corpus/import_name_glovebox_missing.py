for name in ("glovebox", "guest", "worker", "nursery", "_glovebox", "_guest", "warm", "cell"):
    try:
        __import__(name)
        print(name, "is there")
    except ImportError as error:
        print(error)
