"""Docker's own command against the Engine's socket, beside ours of the same name (make check-clients).

Each line is run twice: by Docker's command, which asks the Engine, and by ours, which asks nobody. They end with the
same status, and print the same.
"""

import fcntl
import os
import struct
import subprocess
import termios
import unittest
from pathlib import Path

from support.engine import WAITS, EngineCase
from support.run import GLOVEBOX, ROOT, Result, execute
from support.terminal import Terminal

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
DOCKER = CLIENTS / "docker/usr/bin/docker"

BOX = f'docker run -d --name box host sh -c "echo ready; {WAITS}" >/dev/null; '

RUN = r"""
docker run --rm host echo hi
docker run --rm host sh -c 'echo out; echo err >&2; exit 5'
echo in | docker run -i --rm host cat
echo in | docker run --rm host cat
seq 1 100000 | docker run -i --rm host md5sum
docker run --rm host seq 1 100000 | md5sum
docker run --rm -e K=v -eA=1 -w /tmp -u 1234:1234 -h inside host sh -c 'echo $K $A $(pwd) $(id -u) $(hostname)'
docker run --rm -m 64m --cpus 0.5 --pids-limit 50 --ulimit nofile=99 --tmpfs /t -v "$PWD/shared:/shared:ro" host sh -c 'cat /shared/file; ulimit -n; touch /t/x; touch /shared/x 2>/dev/null'
docker run --rm --mount "type=bind,src=$PWD/shared,dst=/shared" host sh -c 'ls /shared'
docker run --rm --network none --read-only --cap-drop ALL --security-opt no-new-privileges --init host echo ok
docker run --rm --entrypoint echo host a --help
docker run --rm --entrypoint '' host echo b
docker run --rm host sh -c 'kill -KILL $$'
docker run --rm host sh -c 'kill -TERM $$'
docker run --rm host nowhere
docker run --rm host /nowhere
docker run --rm host /etc
docker run --rm --privileged host true
docker run --rm --cap-add SYS_ADMIN host true
docker run --rm --network host host true
docker run --rm -v /:/host host true
docker run --rm --pid host host true
docker run --rm -m 1z host true
docker run --rm --nowhere host true
docker run -it --rm host true
docker run --rm --cidfile id host true; docker rm -f $(cat id) 2>/dev/null
docker run -d host sh -c 'exit 3' >id; docker wait $(cat id); docker logs $(cat id); docker rm $(cat id) >/dev/null
docker create --name box-made host sh -c 'echo made' >/dev/null; docker start -a box-made; docker inspect -f '{{.State.ExitCode}}' box-made; docker rm box-made
"""

LIFE = r"""
docker exec box echo hi
docker exec box sh -c 'echo out; echo err >&2; exit 4'
echo in | docker exec -i box cat
seq 1 100000 | docker exec -i box md5sum
docker exec -e K=v -w /tmp box sh -c 'echo $K $(pwd)'
docker exec box ls --help | head -n 1
docker exec box nowhere >/dev/null
docker exec box /etc >/dev/null
docker exec -d box sh -c 'echo x >/tmp/detached'; until docker exec box cat /tmp/detached 2>/dev/null; do sleep 0.1; done
docker exec nowhere true
docker exec -it box true
docker logs box
docker logs --tail 1 box
docker logs -t box | cut -d' ' -f2
docker logs --since 1h box
docker logs --until 1s nowhere
docker ps --format '{{.Names}} {{.Image}} {{.State}}' --filter name=box
docker ps -a --filter status=exited --format '{{.Names}}'
docker ps -q --filter label=nowhere
docker inspect -f '{{.State.Status}} {{.Config.Tty}} {{.Name}} {{json .Config.Image}}' box
docker inspect nowhere 2>/dev/null
docker container inspect nowhere 2>/dev/null
docker cp "$PWD/shared/file" box:/tmp/file; docker exec box cat /tmp/file
docker cp "$PWD/shared" box:/tmp/; docker exec box ls /tmp/shared
docker cp box:/tmp/shared copied; ls copied
docker cp box:/tmp/shared/file - | tar -xO
tar -cC shared file | docker cp - box:/tmp/; docker exec box cat /tmp/file
docker cp box:/nowhere . 2>/dev/null
docker cp "$PWD/shared/file" box:/nowhere/file 2>/dev/null
docker cp "$PWD/nowhere" box:/tmp 2>/dev/null
docker diff box
docker top box | head -n 1 | wc -l
docker stats --no-stream --format '{{.Name}}' box
docker port box
docker port box 80 2>/dev/null
docker update -m 100m --memory-swap 100m box; docker inspect -f '{{.HostConfig.Memory}}' box
docker update --cpus 0.5 box; docker inspect -f '{{.HostConfig.NanoCpus}}' box
docker rename box box-other; docker rename box-other box; docker inspect -f '{{.Name}}' box
docker rename box box 2>/dev/null
docker pause box; docker inspect -f '{{.State.Status}}' box; docker pause box; docker exec box true; docker unpause box
docker unpause box 2>/dev/null
docker run -d --name box host true 2>/dev/null
docker rm box 2>/dev/null
docker kill -s USR1 nowhere
docker restart -t 5 box; docker inspect -f '{{.State.Running}}' box
docker stop box; docker inspect -f '{{.State.Status}} {{.State.ExitCode}}' box; docker stop box; docker start box
docker kill box; docker wait box; docker kill box 2>/dev/null
docker start nowhere 2>/dev/null
docker start box; docker rm -f box; docker rm box 2>/dev/null
docker rm -f nowhere 2>/dev/null
"""

# What DockerWorkspace of OpenHands says, and its agent server, which starts one container for each conversation; both wait for a page.
PAGE = """until python3 -c "import urllib.request as u; u.urlopen('http://$(docker port box 8000/tcp)/')" 2>/dev/null; do sleep 0.1; done; """
WORKSPACE = (
    'docker run -d --platform "linux/$(dpkg --print-architecture)" --rm --ulimit nofile=1024:1024 --name box -e K=v -p 127.0.0.1::8000 host'
    f" python3 -m http.server 8000 >id; {PAGE}docker pause $(cat id) >/dev/null; docker inspect -f '{{{{.State.Running}}}}' $(cat id);"
    f" docker unpause $(cat id) >/dev/null; {PAGE}docker stop $(cat id) >/dev/null; docker inspect $(cat id) 2>/dev/null"
)
CONVERSATION = (
    "docker run -d --rm --user 1000:1000 --cap-drop ALL --security-opt no-new-privileges --ulimit core=0 --add-host host.docker.internal:host-gateway"
    ' --label owner=box --name box -p 127.0.0.1::8000 -e HOME=/workspace -v "$PWD/shared:/workspace" --memory 256m --cpus 1.0 --pids-limit 50 host'
    f" python3 -m http.server -d /workspace 8000 >id; {PAGE}docker ps -aq --filter label=owner=box | wc -l; docker rm -f box; docker ps -aq --filter label=owner=box"
)

# Of theirs alone: a line, its status, and what it prints.
ALONE = (
    ("docker version --format '{{.Server.APIVersion}} {{.Server.MinAPIVersion}}'", 0, "1.51 1.24\n"),
    ("docker info --format '{{.ContainersRunning}} {{.Warnings}}'", 0, "0 []\n"),
    ("docker info >/dev/null", 0, ""),
    ("docker network ls --format '{{.Name}} {{.Driver}}'", 0, "bridge bridge\nnone null\n"),
    ("docker network inspect -f '{{.Name}}' none", 0, "none\n"),
    ("docker network create mine", 1, ""),
    ("docker create --name box-typed -i host cat >/dev/null; echo typed | docker start -a -i box-typed; docker rm box-typed", 0, "typed\nbox-typed\n"),
    ("docker run -d --name box-shell -it host sh >/dev/null; docker exec box-shell echo hi; docker rm -f box-shell", 0, "hi\nbox-shell\n"),
    ("docker run -d --rm --name box-gone host true >/dev/null; docker wait box-gone 2>/dev/null >&2; until docker run --rm --name box-gone host echo again 2>/dev/null; do :; done", 0, "again\n"),
    ("docker run -d --name box-logs host sh -c 'for i in 1 2 3; do echo $i; sleep 0.1; done' >/dev/null; docker logs -f box-logs; docker rm box-logs", 0, "1\n2\n3\nbox-logs\n"),
    ("docker run -d --name box-att host sh -c 'while [ ! -e /tmp/go ]; do sleep 0.02; done; echo late; exit 3' >/dev/null; { sleep 1; docker exec box-att touch /tmp/go; } & docker attach --no-stdin box-att; echo $?; wait; docker rm box-att", 0, "late\n3\nbox-att\n"),
    ("docker ps --filter nothing=x", 1, ""),
    ("docker run --name box-label -l a=b -l c host true; docker ps -a --filter label=a=b --format '{{.Names}} {{.Label \"a\"}}'; docker rm box-label", 0, "box-label b\nbox-label\n"),
    ("docker run --name box-ev host true; docker events --since 1h --until $(($(date +%s) + 1)) --filter container=box-ev --filter event=die --format '{{.Action}}'; docker rm box-ev", 0, "die\nbox-ev\n"),
    ("docker container prune -f", 0, "Total reclaimed space: 0B\n"),
    ("docker run --rm -v /var/run/docker.sock:/var/run/docker.sock host true", 125, ""),
)


class Theirs(EngineCase, Terminal):
    """Docker's command, with an Engine of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        """Skip where it is not installed."""
        if not os.access(DOCKER, os.X_OK):
            raise unittest.SkipTest("cannot: Docker's command is missing (make check-clients)")
        super().setUpClass()

    def setUp(self) -> None:
        """Have directories to share, one for each of the two."""
        super().setUp()
        self.places = {}
        for who in ("theirs", "ours"):
            place = self.folder / who
            (place / "shared").mkdir(parents=True)
            (place / "shared/file").write_text("content\n")
            self.places[who] = place
        self.own = {"XDG_STATE_HOME": f"{self.folder}/ours/state"}
        self.addCleanup(self.remove_ours)

    def remove_ours(self) -> None:
        """Remove what our own command has left."""
        place = self.places["ours"] / "state/glovebox/sandboxes"
        if ids := [record.name for record in place.iterdir()] if place.exists() else []:
            execute([GLOVEBOX, "rm", "-f", *ids], env=self.own)

    def run_line(self, who: str, line: str, env: dict[str, str], folder: Path) -> Result:
        """Run a line by one of the two; its container has a name that the other's has not."""
        env = env | {"HOME": str(self.folder), "PATH": f"{folder}:{os.environ['PATH']}"}
        done = execute(["sh", "-c", line.replace("box", who + self.folder.name)], env=env, cwd=self.places[who])
        return Result(done.status, done.stdout.replace((who + self.folder.name).encode(), b"box"), done.stderr)

    def theirs(self, line: str) -> Result:
        """Run a line by Docker's command."""
        return self.run_line("theirs", line, self.env | {"DOCKER_HOST": self.engine.host}, DOCKER.parent)

    def mine(self, line: str) -> Result:
        """Run it by ours."""
        return self.run_line("ours", line, self.own, Path(GLOVEBOX).parent)

    def compare(self, line: str) -> None:
        """Assert that the two agree."""
        with self.subTest(line):
            theirs, mine = self.theirs(line), self.mine(line)
            said = f"\ntheirs: {theirs.out[-300:]!r} {theirs.err[-300:]!r}\nours: {mine.out[-300:]!r} {mine.err[-300:]!r}"
            self.assertEqual((theirs.status, theirs.out), (mine.status, mine.out), said)

    def test_run(self) -> None:
        """Each line of RUN."""
        for line in RUN.strip().splitlines():
            self.compare(line)

    def test_life(self) -> None:
        """Each line of LIFE, on one container."""
        for line in (BOX, *LIFE.strip().splitlines()):
            self.compare(line)

    def test_openhands(self) -> None:
        """The lives of its containers."""
        for line, said in ((WORKSPACE, "true\n[]\n"), (CONVERSATION, "1\nbox\n")):
            self.compare(line)
            self.assertEqual(self.theirs(line).out, said)

    def test_alone(self) -> None:
        """Each line of ALONE."""
        for line, status, out in ALONE:
            with self.subTest(line):
                done = self.theirs(line)
                self.assertEqual((done.status, done.out), (status, out), done.err)

    def at_terminal(self, line: str) -> "subprocess.Popen[bytes]":
        """Start Docker's command at a terminal."""
        return self.begin_at_terminal([str(DOCKER), *line.split()], {"DOCKER_HOST": self.engine.host, "HOME": str(self.folder)})

    def test_a_shell_at_a_terminal(self) -> None:
        """run -it and exec -it: what is typed arrives, with the terminal's size, and the status comes back."""
        one = self.running(name=f"term{self.folder.name}")
        for line in ("run -it --rm host sh", f"exec -it {one} sh"):
            process = self.at_terminal(line)
            self.type("echo $((6 * 7))\n")
            self.expect("42\r\n")
            fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
            self.type("while [ \"$(stty size)\" != '33 77' ]; do sleep 0.1; done; echo si''zed\n")
            self.expect("sized")
            self.type("exit 3\n")
            self.ends(process, 3)
