import multiprocessing

current = multiprocessing.current_process()
print(current.name, current.pid, current.daemon, multiprocessing.parent_process(), current._identity)
print(multiprocessing.get_start_method(), multiprocessing.active_children())
