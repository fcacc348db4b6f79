"""Make the caches that programs would otherwise make in every sandbox anew.

Runs inside the new root, at build time. matplotlib looks at every font of the
system when it finds no list of them, which takes seconds; HOME is empty in each
sandbox, so the list lives in the image and is linked to where it is looked for.

Fonts of the same metrics stand in for those that people name (Arial).
"""

import importlib.util
import json
import os
import sys

CACHE = "/usr/share/glovebox/cache"
ALIASES = {
    "Liberation Sans": ("Arial", "Helvetica"),
    "Liberation Serif": ("Times New Roman", "Times"),
    "Liberation Mono": ("Courier New", "Courier"),
    "WenQuanYi Micro Hei": ("SimHei", "Microsoft YaHei", "Arial Unicode MS"),
}


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
        path = os.path.join(CACHE, name)
        if name in lists:
            add_aliases(path)
        elif os.path.isfile(path):
            os.unlink(path)


def add_aliases(path: str) -> None:
    """Add the names that fonts stand in for to the list."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    fonts = content["ttflist"]
    there = {font["name"] for font in fonts}
    fonts += [{**font, "name": alias} for font in fonts for alias in ALIASES.get(font["name"], ()) if alias not in there]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)


if __name__ == "__main__":
    font_list()
