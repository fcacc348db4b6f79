# status: 1
class Stop(BaseException):
    pass


raise Stop("here")
