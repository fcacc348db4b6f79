"""Choose what is to be fetched: read the plan that pip has written, write requirements with a URL and a hash each.

Runs inside the new root. pip has resolved against what is installed (pip install --dry-run --report), so its plan has
only what is missing, and what is there in a version that does not do. Debian's packages are not replaced: others of
Debian were built for them, and pip cannot remove what dpkg has installed.

Names, versions, URLs and hashes are what an index and its wheels say. pip takes lines of requirements for options
as well, and replaces ${VARIABLES} in them, so a word with anything else than it should have is refused.

Without a plan the output is constraints, the versions of Debian's packages. For a plan that would replace some it is
the reason, as fetch_cause.c reads it: a word, and the culprit.
"""

import importlib.metadata
import json
import re
import sys
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.version import InvalidVersion, Version

DEBIAN = "/usr/lib/python3/dist-packages"
WORDS = {
    "name of a package": r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?",
    "version": r"[A-Za-z0-9.!+_-]+",
    "URL": r"[A-Za-z0-9:/?#\[\]@!&'()*+,;=._~%-]+",  # RFC 3986 without $
    "hash": r"[0-9a-f]+",
}


def name_of(text: str) -> str:
    """Return the normal form of a package's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", text).lower()


def is_version(text: str) -> bool:
    """Can a constraint name this version? Debian's are not all of PEP 440."""
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def applies(one: Requirement) -> bool:
    """Is a requirement one of this Python, or of an extra?"""
    return not one.marker or "extra" in str(one.marker) or one.marker.evaluate()


def wanted_by(plan: list[dict], name: str, version: str) -> str:
    """Return who wants a package in another version than Debian's."""
    for about in (item["metadata"] for item in plan):
        for one in map(Requirement, about.get("requires_dist", ())):
            if name_of(one.name) == name and applies(one) and not one.specifier.contains(version, prereleases=True):
                return f"{about['name']} {about['version']} wants {name}{one.specifier}"
    return "it was asked for"


def said(kind: str, text: str) -> str:
    """Return a word that an index or a wheel says, if it is one."""
    if not re.fullmatch(WORDS[kind], text):
        print(f"glovebox: no {kind}: {ascii(text):.200}", file=sys.stderr)
        print("pip", f"no {kind}: {ascii(text):.60}", sep="\n")
        sys.exit(1)
    return text


def requirement(item: dict) -> str:
    """Return what pip is to fetch for an item of the plan."""
    source = item["download_info"]
    digest = source.get("archive_info", {}).get("hashes", {}).get("sha256")
    url = said("URL", source["url"].partition("#")[0])
    return f"{item['metadata']['name']} @ {url}" + (f"#sha256={said('hash', digest)}" if digest else "")


def clashes(plan: list[dict], debian: dict[str, str]) -> list[str]:
    """Return what a plan would replace, and why."""
    found = []
    for about in (item["metadata"] for item in plan):
        name = name_of(about["name"])
        if name in debian:
            found.append(f"{name} {about['version']}: {wanted_by(plan, name, debian[name])}, and Debian's package is {debian[name]}")
    return found


def main() -> None:
    """Write the constraints, the requirements, or why there are none."""
    found = importlib.metadata.distributions(path=[DEBIAN])
    debian = {name_of(one.metadata["Name"]): one.version for one in found if one.metadata["Name"]}
    if len(sys.argv) == 1:
        print(*(f"{name}=={version}" for name, version in debian.items() if is_version(version)), sep="\n")
        return
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["install"]
    for about in (item["metadata"] for item in plan):
        said("name of a package", about["name"])
        said("version", about["version"])
    refused = clashes(plan, debian)
    for line in refused:
        print(f"glovebox: {line}", file=sys.stderr)
    if refused:
        print("pip-installed", refused[0], sep="\n")
        sys.exit(1)
    print(*[requirement(item) for item in plan], sep="\n")


if __name__ == "__main__":
    main()
