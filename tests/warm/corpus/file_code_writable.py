# flags: -v {code}:/code
import os

print(oct(os.stat("/code").st_mode), os.stat(__file__).st_size > 10)
try:
    open("/code/new", "w").close()
    print("written")
except OSError as error:
    print(error)
