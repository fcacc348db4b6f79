"""Make the caches that programs would otherwise make in every sandbox anew.

Runs inside the new root, at build time. matplotlib looks at every font of the
system when it finds no list of them, which takes seconds; HOME is empty in each
sandbox, so the list lives in the image and is linked to where it is looked for.
"""

import importlib.util
import os
import sys

CACHE = "/usr/share/glovebox/cache"


def font_list() -> None:
    """Write fontlist-*.json into CACHE, if matplotlib is there."""
    if importlib.util.find_spec("matplotlib") is None:
        return
    os.makedirs(CACHE, exist_ok=True)
    os.environ["MPLCONFIGDIR"] = CACHE
    os.environ["MPLBACKEND"] = "Agg"
    import matplotlib.pyplot  # noqa: F401 - the import writes the list

    lists = [name for name in os.listdir(CACHE) if name.startswith("fontlist-")]
    if not lists:
        sys.exit("matplotlib wrote no font list")
    for name in os.listdir(CACHE):
        if name not in lists:
            path = os.path.join(CACHE, name)
            if os.path.isfile(path):
                os.unlink(path)


if __name__ == "__main__":
    font_list()
