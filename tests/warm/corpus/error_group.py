# status: 1
def fail(kind):
    raise kind("inner")


errors = []
for kind in (ValueError, TypeError):
    try:
        fail(kind)
    except Exception as error:
        errors.append(error)
raise ExceptionGroup("several", [errors[0], ExceptionGroup("nested", [errors[1]])])
