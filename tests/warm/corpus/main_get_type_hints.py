import typing


class Node:
    next: "Node"
    value: "int | None"


print(typing.get_type_hints(Node))
