# files: script.py=print("a")\r\nif True:\r\n    print("""b\r\nc""".encode())\r\nraise ValueError\r\n
# status: 1
