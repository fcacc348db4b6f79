import atexit

for number in range(3):
    atexit.register(print, "exit", number)
print("end")
