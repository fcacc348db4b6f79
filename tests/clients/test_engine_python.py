"""docker-py against the Engine's socket: its quick start, and what programs that run written code do with it (make check-clients)."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import ClassVar

from support.engine import EngineCase
from support.run import IS_ROOT, ROOT
from support.small_image import NAME, make_store
from support.times import DEADLINE

PYTHON = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"), "bin/python")

NEWER = PYTHON.parents[1] / "docker-py/bin/python"
BEGIN = """
import io, os, sys, tarfile
import docker
client = docker.from_env()
image, folder = sys.argv[1:3]
"""

QUICK_START = """
assert client.ping() is True
assert client.containers.run(image, ["echo", "hello", "world"]) == b"hello world\\n"
container = client.containers.run(image, ["python3", "-c", "import time; print('begun', flush=True); time.sleep(1000)"], detach=True, name="quick-" + os.path.basename(folder))
assert container in client.containers.list(), client.containers.list()
assert client.containers.get(container.id).status == "running"
for line in container.logs(stream=True, follow=True):
    assert line == b"begun\\n", line
    break
assert container.logs() == b"begun\\n"
assert container.logs(tail=1, timestamps=True).endswith(b"Z begun\\n")
container.rename("renamed-" + os.path.basename(folder))
container.reload()
assert container.name == "renamed-" + os.path.basename(folder)
assert container.attrs["Config"]["Image"].split(":")[0] == image
container.pause()
container.reload()
assert container.status == "paused"
container.unpause()
container.update(mem_limit="200m", memswap_limit="200m")
assert client.api.inspect_container(container.id)["HostConfig"]["Memory"] == 200 << 20
top = container.top()
assert any("python3" in word for row in top["Processes"] for word in row), top
stats = container.stats(stream=False)
assert stats["memory_stats"]["usage"] > 0, stats
assert next(container.stats(decode=True))["cpu_stats"]["cpu_usage"]["total_usage"] > 0
container.restart(timeout=0)
container.stop(timeout=0)
assert container.wait()["StatusCode"] == 137
assert [one.id for one in client.containers.list(all=True, filters={"name": "renamed-" + os.path.basename(folder)})] == [container.id]
container.start()
container.kill()
container.wait(condition="not-running")
container.remove()
try:
    client.containers.get(container.id)
    raise AssertionError("it is there")
except docker.errors.NotFound as error:
    assert "No such container" in str(error)
assert {network.name for network in client.networks.list()} == {"bridge", "none"}
assert client.version()["ApiVersion"] == "1.51" and client.info()["Containers"] == 1, client.info()["Containers"]
assert client.containers.prune()["ContainersDeleted"]
"""

# The call that code runners make.
RUNNER = """
os.makedirs(folder + "/code", exist_ok=True)
with open(folder + "/code/main.py", "w") as file:
    file.write("import sys; print(sum(range(10))); print('warned', file=sys.stderr); open('/code/out.txt', 'w').write('x')")
os.chmod(folder + "/code", 0o777)
call = dict(volumes={folder + "/code": {"bind": "/code", "mode": "rw"}}, mem_limit="128m", cpu_quota=50000, network_disabled=True, remove=True, stdout=True, stderr=True)
said = client.containers.run(image, "python3 /code/main.py", **call)
assert sorted(said.splitlines()) == [b"45", b"warned"], said
assert open(folder + "/code/out.txt").read() == "x"
assert client.containers.run(image, "python3 -c 'print(1)'", **(call | {"stderr": False, "working_dir": "/code", "environment": {"A": "b"}, "user": "1234", "pids_limit": 50, "read_only": True, "tmpfs": {"/t": "size=1m"}, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges"], "labels": {"a": "b"}})) == b"1\\n"
try:
    client.containers.run(image, ["python3", "-c", "import sys; print('why', file=sys.stderr); sys.exit(3)"], remove=True)
    raise AssertionError("no error")
except docker.errors.ContainerError as error:
    assert (error.exit_status, error.stderr) == (3, b"why\\n"), (error.exit_status, error.stderr)
try:
    client.containers.run(image, ["nowhere"], remove=True)
    raise AssertionError("no error")
except docker.errors.APIError as error:
    assert "executable file not found" in str(error), error
assert client.containers.list(all=True)[:0] == []

container = client.containers.run(image, ["python3", "-c", "import time; print('begun', flush=True); time.sleep(1000)"], detach=True, network_mode="none", auto_remove=False)
try:
    container.wait(timeout=1)
    raise AssertionError("it has ended")
except Exception as error:
    assert "timed out" in str(error).lower(), repr(error)
container.kill()
assert container.wait(timeout=60)["StatusCode"] == 137
assert container.logs(stdout=True, stderr=False) == b"begun\\n"
container.remove(force=True, v=True)
client.containers.run(image, ["python3", "-c", "pass"], detach=True, remove=True)
for refused in ({"privileged": True}, {"cap_add": ["SYS_ADMIN"]}, {"network_mode": "host"}, {"pid_mode": "host"}, {"devices": ["/dev/kmsg"]}):
    try:
        client.containers.run(image, ["true"], **refused)
        raise AssertionError(refused)
    except docker.errors.APIError as error:
        assert error.status_code == 400, error
try:
    client.containers.create("nowhere:1", ["true"])
    raise AssertionError("an image is there")
except docker.errors.ImageNotFound:
    pass
"""

EXEC = """
container = client.containers.run(image, ["sleep", "1000"], detach=True)
for n in range(200):
    code, output = container.exec_run(["echo", str(n)])
    assert (code, output) == (0, b"%d\\n" % n), (n, code, output)
code, output = container.exec_run("sh -c 'echo out; echo err >&2; exit 4'", demux=True)
assert (code, output) == (4, (b"out\\n", b"err\\n")), (code, output)
code, output = container.exec_run(["nowhere"])
assert code == 127 and b"executable file not found" in output, (code, output)
assert container.exec_run("sh -c 'echo $A; pwd'", environment={"A": "b"}, workdir="/tmp").output == b"b\\n/tmp\\n"
code, stream = container.exec_run("sh -c 'for i in 1 2 3; do echo $i; done'", stream=True)
assert b"".join(stream) == b"1\\n2\\n3\\n"
assert not container.exec_run("true", detach=True).output
assert b"\\r\\n" in container.exec_run("echo hi", tty=True).output
code, sock = container.exec_run("cat", stdin=True, socket=True)
sock._sock.sendall(b"typed\\n")
import socket as sockets
sock._sock.shutdown(sockets.SHUT_WR)
data = b""
while more := sock._sock.recv(4096):
    data += more
assert data == b"\\1\\0\\0\\0\\0\\0\\0\\6typed\\n", data
container.kill()
"""

FILES = """
container = client.containers.run(image, ["sleep", "1000"], detach=True)
out = io.BytesIO()
with tarfile.open(fileobj=out, mode="w") as tar:
    entry = tarfile.TarInfo("file.txt")
    entry.size = 3
    tar.addfile(entry, io.BytesIO(b"abc"))
assert container.put_archive("/tmp", out.getvalue()) is True
assert container.exec_run("cat /tmp/file.txt").output == b"abc"
bits, stat = container.get_archive("/tmp/file.txt")
assert (stat["name"], stat["size"]) == ("file.txt", 3), stat
with tarfile.open(fileobj=io.BytesIO(b"".join(bits))) as tar:
    assert tar.extractfile("file.txt").read() == b"abc"
try:
    container.get_archive("/nowhere")
    raise AssertionError("it is there")
except docker.errors.NotFound:
    pass
try:
    container.put_archive("/nowhere", out.getvalue())
    raise AssertionError("it is there")
except docker.errors.NotFound:
    pass
assert container.diff() is None or isinstance(container.diff(), list)
container.remove(force=True)
"""

MORE = """
import json, time
begun = time.time()
container = client.containers.create(image, ["sh", "-c", "read x; echo got $x"], stdin_open=True, labels={"a": "b"})
sock = container.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
container.start()
sock._sock.sendall(b"word\\n")
assert container.wait()["StatusCode"] == 0
assert b"got word\\n" in sock._sock.recv(4096)
attached = client.containers.create(image, ["sh", "-c", "echo attached"])
stream = attached.attach(stream=True, logs=False)
attached.start()
assert b"".join(stream) == b"attached\\n"
assert container.attach(logs=True, stream=False) == b"got word\\n"
events = client.events(since=begun - 1, until=time.time() + 1, decode=True, filters={"container": container.id})
seen = [event["status"] for event in events if event["status"] in ("create", "start", "die")]
assert seen == ["create", "start", "die"], seen
assert [one.id for one in client.containers.list(all=True, filters={"label": "a=b"})] == [container.id]
assert client.containers.list(all=True, sparse=True, limit=1)[0].id == attached.id
shell = client.containers.run(image, entrypoint=["/bin/sh"], tty=True, detach=True, auto_remove=True, volumes={folder: {"bind": "/workspace", "mode": "rw"}}, working_dir="/workspace")
shell.reload()
assert shell.status == "running"
assert shell.exec_run(["timeout", "60", "sh", "-c", "echo $PWD"]).output == b"/workspace\\n"
shell.stop(timeout=0)
"""


class DockerPy(EngineCase):
    """Scripts of its users, in an environment of their own."""

    store: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        """Skip where it is not installed; make an image."""
        if not os.access(PYTHON, os.X_OK):
            raise unittest.SkipTest("cannot: the clients are missing (make check-clients)")
        super().setUpClass()
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.store = make_store(folder, 0 if IS_ROOT else os.geteuid(), shared=True)

    def setUp(self) -> None:
        """Have an Engine that has the image."""
        self.given = {"GLOVEBOX_IMAGES": str(self.store)}
        super().setUp()

    def perform(self, script: str, image: str = "host", python: Path = PYTHON) -> None:
        """Run a script to its end."""
        env = {"DOCKER_HOST": self.engine.host, "PATH": os.environ["PATH"], "HOME": str(self.folder)}
        words = [str(python), str(self.file("script.py", BEGIN + script)), image, str(self.folder)]
        done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=3 * DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])

    def test_quick_start(self) -> None:
        """What its documentation begins with."""
        self.perform(QUICK_START)

    def test_by_docker_py_7_2(self) -> None:
        """The same, by the next version."""
        if not os.access(NEWER, os.X_OK):
            self.skipTest("cannot: docker-py 7.2 is missing (make check-clients)")
        for script in (QUICK_START, RUNNER, FILES, MORE):
            self.perform('assert docker.__version__.startswith("7.2"), docker.__version__\n' + script, python=NEWER)

    def test_code_runner(self) -> None:
        """One call, with limits and a directory; errors; a time-out."""
        self.perform(RUNNER)
        self.perform(RUNNER, NAME)

    def test_exec(self) -> None:
        """Nothing of 200 is lost."""
        self.perform(EXEC)

    def test_files(self) -> None:
        """In and out."""
        self.perform(FILES)

    def test_more(self) -> None:
        """Sockets, events, lists, a shell that waits."""
        self.perform(MORE)
