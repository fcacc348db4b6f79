import sys


class Shout:
    def write(self, text):
        sys.__stdout__.write(text.upper())

    def flush(self):
        sys.__stdout__.write("<flush>")


sys.stdout = Shout()
print("hello")
