try:
    import tkinter

    tkinter.Tk()
except Exception as error:
    print(type(error).__name__, error)
