import sys


class Finder:
    def find_spec(self, name, path, target=None):
        print("asked for", name)


sys.meta_path.insert(0, Finder())
try:
    import no_such_thing  # noqa: F401
except ImportError as error:
    print(error)
