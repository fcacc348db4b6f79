"""Make the caches that programs would otherwise make in every sandbox anew.

Runs inside the new root, at build time. matplotlib looks at every font of the
system when it finds no list of them, which takes seconds; HOME is empty in each
sandbox, so the list lives in the image and is linked to where it is looked for.

Fonts of the same metrics stand in for those that people name (Arial), and letters
that DejaVu has not (Chinese, Devanagari) come from fonts of the image that have them.
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
FALLBACKS = ("WenQuanYi Micro Hei", "Noto Sans CJK SC", "Droid Sans Fallback", "Lohit Devanagari", "Noto Sans Devanagari")


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
            families = add_aliases(path)
        elif os.path.isfile(path):
            os.unlink(path)
    add_fallbacks(matplotlib.matplotlib_fname(), families)


def add_aliases(path: str) -> set[str]:
    """Add the names that fonts stand in for to the list; return all families."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    fonts = content["ttflist"]
    there = {font["name"] for font in fonts}
    fonts += [{**font, "name": alias} for font in fonts for alias in ALIASES.get(font["name"], ()) if alias not in there]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return {font["name"] for font in fonts}


def add_fallbacks(settings: str, families: set[str]) -> None:
    """Have matplotlib look for a letter in these fonts, too, where a program names no family.

    It falls back from one family to the next, and not within a generic one, whose first font it takes.
    """
    found = [name for name in FALLBACKS if name in families]
    if not found:
        return
    with open(settings, "a", encoding="utf-8") as file:
        file.write(f"\n# glovebox: letters that DejaVu has not\nfont.family: {', '.join(['sans-serif', *found])}\n")


if __name__ == "__main__":
    font_list()
