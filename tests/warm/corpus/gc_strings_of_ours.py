# Nor a dictionary or list that holds a path or a name of the engine.
import gc

found = set()
for o in gc.get_objects():
    if isinstance(o, (list, tuple, set)):
        found |= {x for x in o if isinstance(x, str) and "glovebox" in x and "/opt/glovebox" not in x}
    elif isinstance(o, dict):
        found |= {x for x in list(o.values()) + list(o) if isinstance(x, str) and "glovebox" in x}
print(sorted(x for x in found if "/opt/glovebox/bin" not in x and x != "glovebox"))
