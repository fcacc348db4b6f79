class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name, print is not None)


a = Noisy("a")
b = Noisy("b")
_private = Noisy("private")
print("end")
