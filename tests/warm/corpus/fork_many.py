import os

pids = []
for n in range(20):
    pid = os.fork()
    if pid == 0:
        os._exit(n)
    pids.append(pid)
print(pids)
print(sorted(os.waitstatus_to_exitcode(os.wait()[1]) for _ in pids))
