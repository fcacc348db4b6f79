import threading

local = threading.local()
local.x = 1
seen = []
thread = threading.Thread(target=lambda: seen.append(hasattr(local, "x")))
thread.start()
thread.join()
print(seen, vars(local))
