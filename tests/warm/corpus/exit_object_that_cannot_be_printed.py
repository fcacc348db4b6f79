# status: 1
class Code:
    def __str__(self):
        raise ValueError("no text")


raise SystemExit(Code())
