"""spdx - is a document what SPDX 2.3 wants of one? What its schema says, as far as we write it, and more."""

import re
from typing import Any

REQUIRED = {
    "": {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"},
    "packages": {"SPDXID", "name", "downloadLocation"},
    "files": {"SPDXID", "fileName", "checksums"},
    "relationships": {"spdxElementId", "relationshipType", "relatedSpdxElement"},
    "hasExtractedLicensingInfos": {"licenseId", "extractedText"},
}
KINDS = {"DESCRIBES", "CONTAINS", "STATIC_LINK"}
DIGITS = {"SHA1": 40, "SHA256": 64}
GNU = r"(AGPL|LGPL|GPL|GFDL)-\d\.\d-(only|or-later)"
OTHERS = r"MIT|ISC|Zlib|curl|OpenSSL|Unlicense|0BSD|BSL-1\.0|CC0-1\.0|BSD-[234]-Clause|(Apache|PSF)-2\.0|MPL-[12]\.[01]"
LICENCE = re.compile(rf"{GNU}|{OTHERS}|OFL-1\.1|Artistic-(2\.0|1\.0-Perl)")
PURL = re.compile(r"pkg:(deb/[a-z]+|pypi)/[a-z0-9.+%-]+@[^@?]+(\?[a-z]+=[^&]+(&[a-z]+=[^&]+)*)?")


def _licence_faults(expression: str, refs: set[str]) -> list[str]:
    """Return what is wrong with an expression."""
    if expression == "NOASSERTION":
        return []
    words = re.findall(r"[()]|[^\s()]+", expression)
    names = [w for w in words if w not in ("(", ")", "AND", "OR")]
    faults = [f"no licence: {n}" for n in names if n not in refs and not LICENCE.fullmatch(n)]
    shape = "".join({"(": "(", ")": ")", "AND": "&", "OR": "&"}.get(w, "x") for w in words)
    while (reduced := re.sub(r"\(x\)|x&x", "x", shape)) != shape:
        shape = reduced
    return faults if shape == "x" else [*faults, f"no expression: {expression}"]


def faults(document: dict[str, Any]) -> list[str]:
    """Return what is wrong with a document, one line each."""
    found = [f"no {field}" for field in sorted(REQUIRED[""] - document.keys())]
    for kind in sorted(REQUIRED.keys() - {""}):
        for row in document.get(kind, []):
            found += [f"{kind}: no {field} in {row}" for field in sorted(REQUIRED[kind] - row.keys())]
    if found:
        return found
    elements = [document, *document["packages"], *document["files"]]
    ids = [element["SPDXID"] for element in elements]
    refs = {info["licenseId"] for info in document["hasExtractedLicensingInfos"]}
    found += [f"twice: {key}" for key in sorted(set(ids)) if ids.count(key) > 1]
    found += [f"no id: {key}" for key in ids if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", key)]
    found += [f"no id: {key}" for key in sorted(refs) if not re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", key)]
    for element in elements[1:]:
        for key in ("licenseDeclared", "licenseConcluded"):
            found += _licence_faults(element.get(key, "NOASSERTION"), refs)
        for row in element.get("checksums", []):
            if not re.fullmatch(r"[0-9a-f]+", row["checksumValue"]) or len(row["checksumValue"]) != DIGITS[row["algorithm"]]:
                found.append(f"no checksum: {row}")
        for row in element.get("externalRefs", []):
            if not PURL.fullmatch(row["referenceLocator"]):
                found.append(f"no package URL: {row['referenceLocator']}")
    return found + _whole_faults(document, set(ids))


def _whole_faults(document: dict[str, Any], ids: set[str]) -> list[str]:
    """Return what is wrong with how its parts belong together, and with its head."""
    found = []
    reached = {"SPDXRef-DOCUMENT"}
    for row in document["relationships"]:
        ends = {row["spdxElementId"], row["relatedSpdxElement"]}
        found += [f"a relationship with nothing: {key}" for key in sorted(ends - ids)]
        if row["relationshipType"] not in KINDS:
            found.append(f"no relationship: {row['relationshipType']}")
        reached.add(row["relatedSpdxElement"])
    found += [f"belongs to nothing: {key}" for key in sorted(ids - reached)]
    created = document["creationInfo"].get("created", "")
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", created) or not document["creationInfo"].get("creators"):
        found.append("nobody made it, or never")
    if document["spdxVersion"] != "SPDX-2.3" or document["dataLicense"] != "CC0-1.0":
        found.append("another version of SPDX")
    if not re.fullmatch(r"https://[^#\s]+", document["documentNamespace"]):
        found.append("no name space")
    return found
