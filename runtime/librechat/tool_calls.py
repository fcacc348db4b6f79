"""tool_calls - runs a program whose calls of tools its client answers (librechat/programmatic.h).

The request is on standard input: the code, the tools, and the calls that have been answered so far. A call
that has an answer returns it at once. If calls without one are all that is left to wait for, they are told
between two marks that end standard output, and the program is over: it begins anew with their answers.
"""

import ast
import asyncio
import hashlib
import json
import keyword
import linecache
import os
import re
import shlex
import signal
import sys
import tempfile
import traceback

PROGRAM = "main.py"
TURNS = 50  # of the loop without a further call, until those that wait are told
PAUSE = 0.1  # seconds without a further call of a shell, until the same
RESERVED = set("if then else elif fi case esac for while until do done in select function time coproc".split())
BUILTINS = set("alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait".split())
NAMES = ("Any", "Dict", "List", "Optional", "Union")
HELPER = """
import json, socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[1])
peer.sendall(json.dumps(sys.argv[2:4]).encode() + b"\\n")
sys.stdout.write(peer.makefile(encoding="utf-8").read())
"""


class ToolExecutionError(Exception):
    """A tool has failed."""


class Calls:
    """The calls of the program: those that have an answer, and those that wait for one."""

    def __init__(self, request):
        self.mark = request["mark"]
        self.out = os.dup(1)
        self.answers = {}
        self.waiting = []
        for answer in request["history"]:
            self.answers.setdefault(answer["key"], []).append(answer)

    def ask(self, name, given):
        """Return the answer, or None: it waits for one from now on."""
        text = json.dumps([name, given], sort_keys=True, allow_nan=False, ensure_ascii=False)
        if "\\u0000" in text:
            raise ValueError("the input of a tool has no NUL characters")
        key = hashlib.sha256(text.encode()).hexdigest()
        if found := self.answers.get(key):
            return found.pop(0)
        self.waiting.append({"name": name, "input": given, "key": key})
        return None

    def tell(self):
        """Tell those that wait, and end."""
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        text = memoryview((self.mark + json.dumps(self.waiting) + self.mark).encode())
        while text:
            text = text[os.write(self.out, text) :]
        os._exit(0)


def said(answer):
    return answer.get("error_message") or "tool execution failed"


# -- Python -----------------------------------------------------------------------------------


def identifier(name):
    name = re.sub(r"[^A-Za-z0-9_]", "", re.sub(r"[-\s]", "_", name))
    if name[:1].isdigit():
        name = "_" + name
    return name + "_tool" if keyword.iskeyword(name) else name


def make_tool(calls, tool):
    """The function of a tool: its arguments are the properties of its schema, the required ones first."""
    schema = tool.get("parameters") or {}
    required = [name for name in schema.get("required") or () if isinstance(name, str)]
    names = required + [name for name in schema.get("properties") or () if name not in required]

    async def wait():
        seen = 0
        while seen < len(calls.waiting):
            seen = len(calls.waiting)
            for _ in range(TURNS):
                await asyncio.sleep(0)
        calls.tell()

    async def function(*args, **kwargs):
        if len(args) > len(names):
            raise TypeError(f"{tool['name']}() takes {len(names)} arguments, and {len(args)} were given")
        given = {**dict(zip(names, args)), **kwargs}
        given = {name: value for name, value in given.items() if value is not None or name in required}
        answer = calls.ask(tool["name"], json.loads(json.dumps(given)))
        if answer is None:
            if len(calls.waiting) == 1:
                calls.waiter = asyncio.get_running_loop().create_task(wait())
            await asyncio.get_running_loop().create_future()
        if answer.get("is_error"):
            raise ToolExecutionError(said(answer))
        return answer.get("result")

    function.__name__ = function.__qualname__ = identifier(tool["name"])
    return function


def compile_program(code):
    """The code is the body of a function that may wait: its texts stay as they are."""
    linecache.cache[PROGRAM] = (len(code), None, code.splitlines(True), PROGRAM)
    tree = ast.parse(code, PROGRAM)
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    frame = ast.parse("async def __user_main__(): pass", PROGRAM)
    frame.body[0].body = [node for node in tree.body if node not in future] or [ast.Pass()]
    frame.body = future + frame.body
    return compile(ast.fix_missing_locations(frame), PROGRAM, "exec", 0, True)


def run_python(calls, request):
    import typing

    space = {"__name__": "__main__", "ToolExecutionError": ToolExecutionError}
    space.update({name: getattr(typing, name) for name in NAMES}, asyncio=asyncio, json=json, os=os, sys=sys)
    for tool in request["tools"]:
        function = make_tool(calls, tool)
        space[function.__name__] = function
    try:
        exec(compile_program(request["code"]), space)
        asyncio.run(space["__user_main__"]())
    except SystemExit:
        raise
    except BaseException as error:
        frame = error.__traceback__
        while frame and frame.tb_frame.f_code.co_filename != PROGRAM:
            frame = frame.tb_next
        traceback.print_exception(type(error), error.with_traceback(frame), frame)
        sys.exit(1)


# -- a shell ----------------------------------------------------------------------------------


def shell_name(name):
    name = re.sub(r"[^A-Za-z0-9_]", "", re.sub(r"[-\s.]", "_", name))
    return name + "_tool" if name in RESERVED | BUILTINS else name


def write_functions(folder, tools):
    with open(folder + "/call.py", "w") as file:
        file.write(HELPER)
    with open(folder + "/functions", "w") as file:
        for tool in tools:
            words = f"{sys.executable} -IS {folder}/call.py {folder}/socket {shlex.quote(tool['name'])}"
            file.write(f"{shell_name(tool['name'])}() {{ {words} \"${{1:-{{\\}}}}\"; }}\n")


def shell_answer(calls, name, text):
    """What a call prints; None: it waits."""
    try:
        given = json.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        return {"error": f"tool input for {name} must be a JSON object\n"}
    answer = calls.ask(name, given)
    if answer is None:
        return None
    if answer.get("is_error"):
        return {"error": said(answer) + "\n"}
    return {"text": json.dumps(answer.get("result"), separators=(",", ":"), ensure_ascii=False)}


async def run_shell(calls, request):
    folder = tempfile.mkdtemp()
    loop = asyncio.get_running_loop()
    failed = loop.create_future()
    timer = None

    def tell():
        os.killpg(shell.pid, signal.SIGKILL)
        calls.tell()

    async def serve(reader, writer):
        nonlocal timer
        answer = shell_answer(calls, *json.loads(await reader.readline()))
        if answer is None:
            if timer:
                timer.cancel()
            timer = loop.call_later(PAUSE, tell)
            await loop.create_future()
        if "error" in answer:
            os.write(2, answer["error"].encode())
            failed.done() or failed.set_result(True)
            await loop.create_future()
        writer.write(answer["text"].encode())
        await writer.drain()
        writer.close()

    write_functions(folder, request["tools"])
    server = await asyncio.start_unix_server(serve, folder + "/socket", limit=1 << 24)
    with open(folder + "/script", "w") as file:
        file.write(f". {folder}/functions\n" + request["code"] + "\n")
    shell = await asyncio.create_subprocess_exec("bash", folder + "/script", start_new_session=True)
    over = loop.create_task(shell.wait())
    await asyncio.wait({over, failed}, return_when=asyncio.FIRST_COMPLETED)
    if not over.done():
        os.killpg(shell.pid, signal.SIGKILL)
        await over
    server.close()
    status = 1 if failed.done() else shell.returncode
    os._exit(status if status >= 0 else 128 - status)


def begin():
    request = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    calls = Calls(request)
    if request["bash"]:
        asyncio.run(run_shell(calls, request))
    else:
        run_python(calls, request)


begin()
