"""document - an SPDX 2.3 document, in which the same parts give the same bytes."""

import hashlib
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.parse import quote

from licences import NO_ANSWER, Licence, slug

Fields = dict[str, Any]


def checksums(path: Path, *kinds: str) -> list[Fields]:
    """Return digests of a file."""
    found = {kind: hashlib.new(kind) for kind in kinds}
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            for digest in found.values():
                digest.update(piece)
    return [{"algorithm": kind.upper(), "checksumValue": d.hexdigest()} for kind, d in found.items()]


def purl(kind: str, name: str, version: str, **qualifiers: str) -> str:
    """Return a package URL."""
    tail = "&".join(f"{key}={quote(value, safe=':')}" for key, value in sorted(qualifiers.items()))
    return f"pkg:{kind}/{quote(name)}@{quote(version, safe='.~')}{'?' if tail else ''}{tail}"


class Document:
    """Packages, files and how they belong together."""

    def __init__(self, name: str, epoch: int) -> None:
        self.name, self.epoch = name, epoch
        self.packages: dict[str, Fields] = {}
        self.files: dict[str, Fields] = {}
        self.relationships: set[tuple[str, str, str]] = set()
        self.texts: dict[str, str] = {}

    def package(self, name: str, version: str, licence: Licence, **more: Any) -> str:
        """Add a package, and return its id; the same one again is that which is there."""
        key = f"SPDXRef-Package-{slug(name)}-{slug(version)}"
        url = more.pop("purl", "")
        if url:
            where = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}
            more["externalRefs"] = [where]
        self.texts.update(licence.texts)
        fields = {"name": name, "SPDXID": key, "versionInfo": version, "downloadLocation": NO_ANSWER}
        said = {"licenseConcluded": NO_ANSWER, "licenseDeclared": licence.expression}
        self.packages.setdefault(key, {**fields, **said, "copyrightText": NO_ANSWER, "filesAnalyzed": False, **more})
        return key

    def file(self, path: Path, name: str) -> str:
        """Add a file that is there, and return its id."""
        key = f"SPDXRef-File-{slug(name)}"
        sums = checksums(path, "sha1", "sha256")
        said = {"licenseConcluded": NO_ANSWER, "copyrightText": NO_ANSWER}
        self.files[key] = {"fileName": f"./{name}", "SPDXID": key, "checksums": sums, **said}
        return key

    def relate(self, one: str, how: str, other: str) -> None:
        """Say how two of them belong together."""
        self.relationships.add((one, how, other))

    def text(self) -> str:
        """Return it as JSON. Its name space is made of all the rest, so no two documents share one."""
        rows = [dict(zip(("spdxElementId", "relationshipType", "relatedSpdxElement"), r)) for r in sorted(self.relationships)]
        created = datetime.fromtimestamp(self.epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        said: Fields = {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": self.name,
            "creationInfo": {"created": created, "creators": ["Tool: glovebox-sbom"]},
            "packages": [self.packages[key] for key in sorted(self.packages)],
            "files": [self.files[key] for key in sorted(self.files)],
            "relationships": rows,
            "hasExtractedLicensingInfos": [
                {"licenseId": key, "extractedText": self.texts[key]} for key in sorted(self.texts)
            ],
        }
        digest = hashlib.sha256(json.dumps(said).encode()).hexdigest()
        said["documentNamespace"] = f"https://spdx.org/spdxdocs/{self.name}-{digest[:32]}"
        return json.dumps(said, indent=1) + "\n"
