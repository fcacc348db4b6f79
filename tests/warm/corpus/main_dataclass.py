from __future__ import annotations

from dataclasses import dataclass, field, fields


@dataclass(order=True)
class Point:
    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)


print(Point(1), Point(1) < Point(2), [f.type for f in fields(Point)], Point.__module__)
