import threading

main = threading.main_thread()
print(main is threading.current_thread(), main.name, main.daemon, main.is_alive())
print(type(main).__name__, main.ident == threading.get_ident())
print(threading.enumerate() == [main], threading.active_count())
