# status: 1
class Key:
    def __repr__(self):
        return "<my\nkey>"


{}[Key()]
