# stdin: secret\n
import getpass

print(getpass.getpass())
