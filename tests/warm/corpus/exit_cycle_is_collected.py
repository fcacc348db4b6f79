class Cycle:
    def __init__(self):
        self.me = self

    def __del__(self):
        print("cycle collected")


Cycle()
print("end")
