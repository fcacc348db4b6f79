import contextvars
import threading

var = contextvars.ContextVar("var", default="default")
print(len(contextvars.copy_context()), var.get())
var.set("main")
thread = threading.Thread(target=lambda: print(var.get()))
thread.start()
thread.join()
print(len(contextvars.copy_context()))
