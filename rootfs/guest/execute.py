"""execute - becomes the program of one request (service/script.h).

Standard input begins with what is for us: for each file the length of its path (4 bytes), its size
(8 bytes), the path and the bytes; a path of length 0 ends them. Then come one byte, which says
whether the value of a last expression is printed, and the program's arguments (their size in 4
bytes, then each with a NUL behind it). The rest is the program's to read. The first file is the
program, and its workspace is the directory that we begin in.

A nursery compiles it before a cell is made (program.py, ready()): that takes longer than all it does.

Nothing but what every Python has loaded is imported, and nothing of ours stays: the program's
namespace is that of __main__, cleared.
"""


def begin():
    """Read the request, and become it. Everything is bound here: the names above go."""
    import _ast
    import builtins
    import os
    import sys

    workspace = os.getcwd()
    program = workspace + "/__main__.py"
    read, write, close, open_file = os.read, os.write, os.close, os.open
    exit_with, interrupt = SystemExit, KeyboardInterrupt
    only_tree = 0x400  # PyCF_ONLY_AST
    futures = 0x1FE0000  # the flags of every `from __future__ import`

    def take(length):
        parts = []
        while length:
            part = read(0, min(length, 1 << 20))
            if not part:
                raise exit_with(125)
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def number(length):
        return int.from_bytes(take(length), "little")

    def copy(path, size):
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, 0o755, exist_ok=True)
        fd = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        while size:
            part = take(min(size, 1 << 18))
            size -= len(part)
            while part:
                part = part[write(fd, part) :]
        close(fd)

    length = number(4)
    size = number(8)
    name = take(length)
    source = take(size)
    fd = open_file(name, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    for start in range(0, size, 1 << 20):
        write(fd, source[start : start + (1 << 20)])
    close(fd)
    while length := number(4):
        size = number(8)
        copy(take(length), size)
    shows_last = number(1)
    args = os.fsdecode(take(number(4))).split("\0")[:-1]
    # What came is text: a comment that names another encoding is not about it.
    source = str(source, "utf-8").removeprefix("\ufeff")

    # For the Pythons that it starts, too: output comes at once, and no __pycache__ is left among its files.
    os.environ.update(PYTHONUNBUFFERED="1", PYTHONDONTWRITEBYTECODE="1", PYTHONIOENCODING="utf-8")
    sys.dont_write_bytecode = True

    sys.argv[:] = [program, *args]
    sys.path[0] = workspace
    space = globals()
    space.clear()
    space.update(
        __name__="__main__", __doc__=None, __package__=None, __loader__=None, __spec__=None,
        __builtins__=builtins, __file__=program, __cached__=None,
    )  # fmt: skip
    failed = 0
    try:
        if not shows_last:
            exec(compile(source, program, "exec", 0, True), space)
        else:
            tree = compile(source, program, "exec", only_tree, True)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
            code = compile(tree, program, "exec", 0, True)
            if last is not None:
                last = _ast.Interactive(body=[last])
                last = compile(last, program, "single", code.co_flags & futures, True)
            exec(code, space)
            if last is not None:
                exec(last, space)
    except exit_with:
        raise
    except BaseException as error:
        frames = error.__traceback__.tb_next
        sys.excepthook(type(error), error.with_traceback(frames), frames)
        failed = 130 if isinstance(error, interrupt) else 1
    if failed:
        raise exit_with(failed)


begin()
