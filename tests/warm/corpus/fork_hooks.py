import os

os.register_at_fork(
    before=lambda: print("before", flush=True),
    after_in_child=lambda: print("in child", flush=True),
    after_in_parent=lambda: (os.wait(), print("in parent")),
)
if os.fork() == 0:
    os._exit(0)
