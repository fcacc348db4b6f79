# status: 1
class Strange(Exception):
    pass


Strange.__module__ = "some.where"
raise Strange
