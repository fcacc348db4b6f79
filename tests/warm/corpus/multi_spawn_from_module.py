# how: -m pkg.run
# files: pkg/__init__.py=\n
# files: pkg/run.py=import multiprocessing as m\ndef f(c): c.send(__name__)\nif __name__ == "__main__":\n    a, b = m.Pipe()\n    p = m.get_context("spawn").Process(target=f, args=(b,))\n    p.start(); print(a.recv()); p.join()\n
