import os

print(os.getcwd(), os.path.abspath("x"), os.listdir("."))
