# status: 1
class Broken:
    x = undefined_name  # noqa: F821
