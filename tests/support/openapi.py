"""openapi - the server's own description as a schema: what it answers has those members and no others.

Of JSON Schema it knows what our document uses; a keyword that it does not know is a fault.
"""

from collections.abc import Iterator
from typing import Any

KINDS = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
ABOUT = {"description", "default", "example", "format", "contentMediaType", "contentEncoding", "title", "minLength", "maxLength"}  # nothing to check
KNOWN = ABOUT | {"$ref", "type", "properties", "required", "items", "enum", "const", "oneOf", "minimum", "maximum", "minItems", "maxItems", "additionalProperties", "pattern"}


class Document:
    """An OpenAPI document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def follow(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return what a node is, or refers to."""
        while "$ref" in node:
            found: Any = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            node = found
        return node

    def operations(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Yield method, path and operation."""
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method != "parameters":
                    yield method.upper(), path, operation

    def response(self, method: str, path: str, status: int) -> dict[str, Any]:
        """Return what is said of an answer."""
        responses = self.document["paths"][path][method.lower()]["responses"]
        return self.follow(responses.get(str(status)) or responses["default"])

    def faults(self, value: Any, schema: dict[str, Any], where: str = "it") -> list[str]:
        """Return what is wrong with a value, a line each."""
        schema = self.follow(schema)
        found = [f"{where}: the schema says {key}" for key in schema.keys() - KNOWN]
        if "oneOf" in schema:
            choices = [self.faults(value, one, where) for one in schema["oneOf"]]
            if choices.count([]) != 1:
                found += min(choices, key=len) or [f"{where}: it is two things at once"]
        if "type" in schema and not any(_is(value, kind) for kind in _list(schema["type"])):
            return [*found, f"{where}: {value!r} is no {schema['type']}"]
        if value not in schema.get("enum", [value]) or value != schema.get("const", value):
            found.append(f"{where}: {value!r} is not listed")
        if _is(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            found.append(f"{where}: {value!r} is out of its bounds")
        if isinstance(value, list) and "items" in schema:
            for i, item in enumerate(value):
                found += self.faults(item, schema["items"], f"{where}[{i}]")
        if isinstance(value, dict):
            found += self._object_faults(value, schema, where)
        return found

    def _object_faults(self, value: dict[str, Any], schema: dict[str, Any], where: str) -> Iterator[str]:
        members = schema.get("properties", {})
        others = schema.get("additionalProperties", {} if not members else None)
        for name in schema.get("required", []):
            if name not in value:
                yield f"{where}: {name} is missing"
        for name, member in value.items():
            if name in members:
                yield from self.faults(member, members[name], f"{where}.{name}")
            elif others is None:
                yield f"{where}: {name} is not documented"
            else:
                yield from self.faults(member, others, f"{where}.{name}")


def _list(kinds: Any) -> list[str]:
    return kinds if isinstance(kinds, list) else [kinds]


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
