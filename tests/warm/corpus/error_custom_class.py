# status: 1
class Outer:
    class Inner(Exception):
        """Printed with its qualified name."""


raise Outer.Inner("x", 2)
