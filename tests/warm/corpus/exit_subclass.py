# status: 9
class Leave(SystemExit):
    pass


raise Leave(9)
