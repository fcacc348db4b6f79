# These look at the caller's frame to find their module.
import enum
from collections import namedtuple
from typing import NamedTuple, NewType, TypedDict, TypeVar

print(namedtuple("A", "x").__module__, enum.Enum("B", "x").__module__)
print(NamedTuple("C", [("x", int)]).__module__, TypedDict("D", {"x": int}).__module__)
print(TypeVar("T").__module__, NewType("N", int).__module__, type("E", (), {}).__module__)
