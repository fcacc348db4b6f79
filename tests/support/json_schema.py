"""json_schema - the part of JSON Schema that our schemas use; a word beyond it fails."""

from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_KNOWN = {"type", "properties", "required", "items", "enum", "description", "additionalProperties",
          "pattern", "minimum", "maximum", "exclusiveMinimum"}  # fmt: skip


def check_schema(schema: dict[str, Any]) -> None:
    """Assert that a schema has nothing that check() does not know."""
    assert not schema.keys() - _KNOWN, schema
    properties = schema.get("properties", {})
    assert set(schema.get("required", [])) <= properties.keys(), schema
    for part in [*properties.values(), *([schema["items"]] if "items" in schema else [])]:
        check_schema(part)


def check(value: Any, schema: dict[str, Any], at: str = "it") -> None:
    """Assert that a value keeps to a schema, and has no member that is not described."""
    if kinds := schema.get("type"):
        names = kinds if isinstance(kinds, list) else [kinds]
        wanted = {kind for name in names for kind in _TYPES[name]}
        assert type(value) in wanted, f"{at}: {value!r} is no {names}"
    if "enum" in schema:
        assert value in schema["enum"], f"{at}: {value!r} is none of {schema['enum']}"
    if isinstance(value, dict):
        missing = set(schema.get("required", [])) - value.keys()
        assert not missing, f"{at}: lacks {missing}"
        for name, member in value.items():
            check(member, schema["properties"][name], f"{at}.{name}")
    if isinstance(value, list):
        for i, item in enumerate(value):
            check(item, schema["items"], f"{at}[{i}]")
