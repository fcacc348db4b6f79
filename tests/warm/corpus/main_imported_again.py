# A script that imports itself by its own name runs twice.
print(__name__)
if __name__ == "__main__":
    import script

    print(script.__name__, script is __import__("sys").modules["__main__"])
