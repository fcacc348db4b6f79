# status: 1
class Code:
    def __str__(self):
        return "my code"


raise SystemExit(Code())
