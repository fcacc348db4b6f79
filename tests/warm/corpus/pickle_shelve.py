import shelve

with shelve.open("/tmp/shelf") as shelf:
    shelf["a"] = {"b": [1, 2]}
with shelve.open("/tmp/shelf") as shelf:
    print(dict(shelf))
