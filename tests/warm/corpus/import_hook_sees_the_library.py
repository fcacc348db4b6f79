# A module that was already loaded is not asked for.
import sys


class Finder:
    def find_spec(self, name, path, target=None):
        print("asked for", name)


sys.meta_path.insert(0, Finder())
import colorsys  # noqa: E402, F401
import this  # noqa: E402, F401
