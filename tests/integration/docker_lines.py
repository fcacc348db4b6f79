"""docker_lines - command lines of docker's that people type, and what becomes of them here.

test_docker_lines.py runs each, and docker_table.py writes them into docs/docker.md. A line is run by
sh(1) in a directory with script.py, names.env, passwd, a Dockerfile, data/ (whose `private` only its owner may read) and
an archive save.tar; `host` stands for any image.
"""

from dataclasses import dataclass

WORKS, REFUSED, DIFFERS = "works", "refused", "differs"


@dataclass(frozen=True)
class Line:
    """A line; `says` is on stdout, or on stderr if it is refused; `note` is for people."""

    line: str
    here: str
    says: str = ""
    note: str = ""
    status: int | None = None  # 0, or 125 of what is refused
    where: str = ""  # it is so only for root, or on amd64

    @property
    def expected(self) -> int:
        """The exit status."""
        return self.status if self.status is not None else 125 if self.here == REFUSED else 0


def works(line: str, says: str = "", note: str = "", status: int | None = None, where: str = "") -> Line:
    """Return a line that does what docker does."""
    return Line(line, WORKS, says, note, status, where)


def refused(line: str, says: str, status: int | None = None, where: str = "") -> Line:
    """Return a line that is refused, and why."""
    return Line(line, REFUSED, says, status=status, where=where)


def differs(line: str, note: str, says: str = "", status: int | None = None) -> Line:
    """Return a line that does something else than with docker."""
    return Line(line, DIFFERS, says, note, status)


PROGRAM = (
    works(
        "docker run --rm --network none --read-only --tmpfs /tmp:size=100m --memory 512m --cpus 1.0 --pids-limit 64 "
        "--security-opt no-new-privileges -v ./script.py:/code/script.py:ro -v ./data:/data:ro -v ./output:/output "
        "host timeout 30 python3 /code/script.py",
        "script",
        "the line that is in every recipe for this",
    ),
    works("docker run --rm host python3 -c 'print(6 * 7)'", "42"),
    works("docker container run --rm host true"),
    works("docker run -i host python3 - < script.py", "script"),
    works("cat script.py | docker run -i --rm host python3", "script"),
    works("docker run --entrypoint echo host hi", "hi"),
    works("docker run --entrypoint '' host echo hi", "hi"),
    works("K=v docker run -e K -eA=b --env C=d --env-file names.env host sh -c 'echo $K$A$C$N'", "vbdn"),
    works("docker run -w /nonexist host pwd", "/nonexist"),
    works("docker run -u 1000:1000 host id -u", "1000"),
    works("docker run -u 0 host id -u", "0", "root inside is nobody outside"),
    works("docker run -u nobody host id -un", "nobody"),
    works("docker run -u 1234 -v ./passwd:/etc/passwd:ro host id -un", "somebody"),
    refused("docker run -u somebody -v ./passwd:/etc/passwd:ro host true", 'no user "somebody" in the image; give a number'),
    works("docker run -h box --hostname box host hostname", "box"),
    works("docker run --init --stop-timeout 5 --stop-signal INT host true"),
    works("docker run --name nn --label a=b --cidfile id host true"),
    refused("docker run --name nn host yes | (read up; docker run --name nn host true)", 'The container name "/nn" is already in use'),
    refused("docker run --rm=false host true", "nothing is kept of a sandbox without --detach"),
    works("docker run -a stdin -a stdout -a stderr --sig-proxy host true", note="all streams always are"),
    differs("docker run --sig-proxy=false host true", "a signal to the client ends the program, too"),
    works("docker run host sh -c 'exit 5'", status=5),
    works("docker run host no-such-program", status=127),
    refused("docker run -it host bash", "the input device is not a TTY", status=1),
    works("docker rm -f $(docker run -d host sleep 60)", note="[containers.md](containers.md)"),
    works("docker rm -f $(docker run -itd host bash)"),
    works("docker run --restart=no host true"),
    refused("docker run --restart=always host true", "glovebox generate unit NAME"),
    works("docker run --log-driver none --log-opt max-size=1m host true", note="`--output-limit` is the size of a log"),
    refused("docker run --log-driver syslog host true", "output goes to stdout and stderr, or into --json"),
    works("docker run --no-healthcheck --health-cmd 'curl -f localhost' --health-interval 5s host true"),
)

FILES = (
    works('docker run -v "$PWD":/w -w /w host cat script.py', 'print("script")'),
    works('docker run -v "$PWD":"$PWD":ro -w "$PWD" host cat script.py', 'print("script")'),
    works("docker run -v ./data:/a:z -v ./data:/b:Z -v ./data:/c:ro,delegated -v ./data:/d:nocopy host true"),
    works("docker run --mount type=bind,src=./data,dst=/d,ro,bind-propagation=rprivate host true"),
    works("docker run --mount type=bind,src=./data,dst=/d,readonly,consistency=cached host true"),
    works(
        "docker run -u 1000:1000 -v ./data:/x:ro host cat /x/private",
        note="`Permission denied`: a file of root's with mode 0600; an ordinary user's sandbox is that user, whatever `-u` says",
        status=1,
        where="root",
    ),
    works("docker run --mount type=tmpfs,dst=/t --tmpfs /u:rw,noexec,nosuid,size=64m host true"),
    works("docker run --shm-size 8m host true"),
    works("docker run -v ./missing:/x:ro host true", note="the directory is made, where nobody else can write"),
    refused("docker run -v ./docker.sock:/var/run/docker.sock host true", "there is no daemon here"),
    works("docker run -v name:/x host touch /x/kept && docker run -v name:/x:ro,nocopy host ls /x", "kept", "[containers.md](containers.md)"),
    works("docker run --mount type=volume,src=name,dst=/x,readonly host ls /x"),
    differs("docker run -v fresh:/usr/share/doc host ls /usr/share/doc", "a new volume is empty: docker copies what the image has there"),
    refused("docker run -v data/sub:/x host true", "includes invalid characters"),
    refused("docker run -v /anon host true", "anonymous volumes are not supported; use --tmpfs /anon, or name it"),
    refused("docker run --mount type=volume,dst=/x host true", "use --tmpfs /x"),
    refused("docker run -v ./data:/x:rslave host true", "mount propagation (rslave) is not supported"),
    refused("docker run -v ./data:/x:rw:ro host true", "./data:/x:rw:ro: invalid volume specification"),
    refused("docker run -v /:/host host true", "would show the host's"),
    refused("docker run --volume-driver nfs host true", "directories of this machine"),
    refused("docker run --storage-opt size=1g host true", "--tmpfs PATH:size=SIZE bounds what is not"),
    differs(
        "docker run host sh -c 'cp /bin/true /tmp/a && /tmp/a'",
        "/tmp, /dev/shm and HOME are noexec; `--tmpfs /tmp:exec`",
        status=126,
    ),
    works("docker run --tmpfs /tmp:exec host sh -c 'cp /bin/true /tmp/a && /tmp/a'"),
    works("docker run --read-only host true", note="the root always is"),
    refused("docker run --read-only=false host true", "--writable[=SIZE] keeps changes to it in memory"),
    works("docker run host python3 -c 'print(\"x\" * 70_000_000)' | wc -c", "70000001", "nothing is cut"),
)

LIMITS = (
    works("docker run -m 512m --memory-swap 512m --cpus 0.5 --pids-limit 64 host true"),
    works("docker run --memory-swappiness 0 --oom-score-adj 500 --kernel-memory 0 host true"),
    works("docker run --ulimit nofile=64:64 host sh -c 'ulimit -n'", "64"),
    works("docker run --cpu-shares 1024 --blkio-weight 0 host true", note="the defaults"),
    refused("docker run --cpu-shares 512 host true", "only a hard limit is offered, --cpus"),
    refused("docker run --cpus 1000 host true", "range of CPUs is from 0.01 to"),
    refused("docker run --pids-limit 1 host true", "the minimum is 2"),
    refused("docker run --memory-reservation 64m host true", "only the hard limit --memory is offered"),
    refused("docker run --device-write-bps /dev/sda:1m host true", "no bandwidth of a disk is divided or limited"),
    differs("docker run host sh -c 'ulimit -n'", "without flags: 512 MiB, no swap, 1 CPU, 64 processes", "1024"),
)

CONFINEMENT = (
    works("docker run --cap-drop=ALL --security-opt=no-new-privileges:true host true"),
    works("docker run --security-opt seccomp=unconfined host true"),
    works("docker run --security-opt label=disable --security-opt apparmor=docker-default host true"),
    works("docker run --ipc=private --cgroupns=private --pid= --uts= --runtime=runc host true"),
    works("docker run --network none host true"),
    differs("docker run host true", "without flags: no network, uid 1000, a read-only root (but for `-d`), no capability"),
    refused("docker run --network bridge host true", "a sandbox is in no network; --egress LIST names what it may reach"),
    refused("docker run --network host host true", "--network: host is not supported"),
    refused("docker run --network mynet host true", "--network: mynet is not supported"),
    refused("docker run --network-alias a --ip 10.0.0.2 host true", "--network-alias, --ip: not supported"),
    refused("docker run --domainname d host true", "no NIS domain is set; --hostname takes a name with dots"),
    differs("docker run -p 8000 host true", "on 127.0.0.1 only; `-p 0.0.0.0::8000` is what docker does"),
    refused("docker run -p 53:53/udp host true", "udp is not published: only tcp is"),
    differs("docker run -P host true", "what the image exposes (`host`: nothing), on 127.0.0.1 only; an exposed port of udp is refused"),
    refused("docker run --expose 80 host true", "-p names each port that is to be reached"),
    differs("docker run --network none -p 8000 host true", "the port is published all the same; docker drops it"),
    works("docker run --dns 1.1.1.1 --dns-search example host true", note="names of `--egress` are looked up as this machine does it"),
    works("docker run --add-host host.docker.internal:host-gateway host true", note="`--allow-host PORT` reaches that name"),
    refused("docker run --add-host a:1.1.1.1 host true", "--egress names hosts; --allow-host PORT reaches this machine"),
    refused("docker run --privileged --cap-add ALL host true", "a sandbox never holds a capability"),
    refused("docker run --gpus all --device /dev/kvm host true", "devices are not passed into a sandbox"),
    refused("docker run --runtime=runsc host true", "glovebox is the runtime"),
    refused("docker run --pid=host --ipc=host host true", "a sandbox always has its own"),
    refused("docker run --userns=host --group-add 0 host true", "a sandbox has one group"),
    refused("docker run --pull=always -p 1:1 --gpus all --restart=always host true", "--restart: not supported"),
)

IMAGES = (
    works("docker images", "REPOSITORY"),
    works("docker images -q"),
    works("docker image ls -q --no-trunc"),
    works("docker images --filter reference='py*' --filter dangling=false"),
    works("docker images --format '{{.Repository}}:{{.Tag}}'"),
    works("docker load -i save.tar", "Loaded image: save:latest"),
    works("docker import save.tar mine:1 && docker rmi mine:1", "mine:1"),
    works("docker tag host mine:2 && docker inspect mine:2 && docker rmi mine:2", '"mine:2"'),
    works("docker tag host mine:3 && docker images -q mine && docker rmi mine:3", "host", "every tag of the name"),
    works("docker image inspect --format '{{.Os}}' host", "linux"),
    works("docker image inspect --format '{{json .Config}}' host", '"Env":['),
    works("docker image prune -f", "Total reclaimed space: 0B"),
    works("docker image prune -af", "Total reclaimed space: "),
    works("docker run --pull missing --platform linux host true"),
    works("docker run --pull never host true"),
    works("docker run --platform linux/amd64 host true", note="on a machine of that kind", where="amd64"),
    refused("docker run --platform linux/arm64 host true", "is not this machine's linux/amd64, and nothing is emulated", where="amd64"),
    refused("docker run --platform windows/amd64 host true", "nothing is emulated"),
    refused("docker run python:3.11-slim true", "glovebox image build python --suite bookworm --tag python:3.11-slim"),
    refused("docker run debian:bookworm-slim true", "glovebox image build slim --suite bookworm --tag debian:bookworm-slim"),
    differs(
        "docker run -v ./data:/w -w /w host sh -c 'python3 -m pip install -r requirements.txt && pytest'",
        "without a network nothing is installed: `--egress pypi`, or `glovebox image build python --pip NAME` makes an image that has it",
        status=1,
    ),
    refused("docker run hello-world", "glovebox image pull hello-world"),
    works("docker pull host", "Image is up to date"),
    refused("PATH=${PATH%%:*} docker pull hello-world", "a registry is asked through skopeo, which is not here", status=1),
    refused("docker history host", "an image has no layers here; docker image inspect shows its configuration"),
    refused("docker login", "skopeo login does it, for docker pull"),
    refused("docker push mine", "a registry is only pulled from"),
    works("docker import save.tar mine:3 && docker save -o saved.tar mine:3 && docker rmi mine:3 && docker load -i saved.tar && docker rmi mine:3", "Loaded image: mine:3"),
    refused("docker save host", "there is nothing to save"),
)

SCRATCH = "printf 'FROM scratch\\n%s\\n'"

BUILDS = (
    works("docker build -t mine:5 . && docker rmi mine:5", "mine:5", where="root"),
    works("docker build -q -f Dockerfile -t mine:6 . && docker rmi mine:6", "sha256:", where="root"),
    works("tar -c Dockerfile script.py | docker build -t mine:11 - && docker rmi mine:11", "Successfully tagged mine:11", where="root"),
    works("docker buildx build --load --progress plain --provenance=false -t mine:7 . && docker rmi mine:7", "mine:7", where="root"),
    works("docker image build --no-cache --rm --label a=b --platform linux --target app -t mine:8 . && docker rmi mine:8", "mine:8", where="root"),
    works(SCRATCH % "ARG A\\nCOPY script.py $A/" + " | docker build --build-arg A=/x -t mine:9 -f - . && docker rmi mine:9", "mine:9", where="root"),
    refused("docker build -t mine data", "there is no Dockerfile", status=1),
    refused(SCRATCH % "VOLUME /x" + " | docker build -t mine -", "line 2: VOLUME: nothing of a sandbox is kept"),
    refused(SCRATCH % "RUN --mount=type=secret,id=a x" + " | docker build -t mine -", "line 2: RUN: --mount: type=secret is not understood here"),
    refused("docker build --secret id=a -t mine .", "a RUN reads no file of this machine but those of COPY"),
    refused("docker build --ssh default -t mine .", "a RUN holds no key of yours"),
    refused("docker build --network host -t mine .", "--egress LIST names what a RUN may reach"),
    refused("docker build --push -t mine .", "a registry is only pulled from"),
    refused("docker build --output out .", "glovebox image save writes an image to a file"),
    refused("docker build https://example.org/x.git", "is not fetched"),
    refused("docker buildx bake", "docker build makes one image from one Dockerfile"),
)

OTHERS = (
    works("docker --version", "Docker version"),
    works("docker version --format '{{.Server.Version}}'"),
    works("docker info --format '{{.OSType}}'", "linux"),
    works("docker info --format '{{json .NCPU}}'"),
    works("docker help compose", 'no "compose" here', "what to use here, for every command of docker's"),
    refused("docker -H tcp://10.0.0.1:2375 run host true", "sandboxes run on this one only"),
    refused("DOCKER_HOST=ssh://me@there docker run host true", "sandboxes run on this one only"),
    refused("docker --context prod run host true", "run on this machine without one"),
    works("DOCKER_HOST=unix:///var/run/docker.sock docker run host true"),
    works("docker ps -a --format '{{.ID}} {{.Names}} {{.Image}} {{.Status}}'"),
    works("docker ps -q --no-trunc"),
    works("docker run --name kk host sleep 100 & until docker kill -s KILL kk; do sleep 0.1; done", "kk", "a signal; and stop, with its grace"),
    works("docker run --name ss host sleep 100 & until docker stop -t 1 ss; do sleep 0.1; done", "ss"),
    works("docker rm -f n; docker container ls", ""),
    works("docker ps -q -f name=n -f status=running"),
    refused("docker ps --filter network=n", "name=, id=, ancestor=, status=, exited= and label= are"),
    works("docker run -d --name d1 host sleep 60 && docker exec d1 sh -c 'echo $HOSTNAME' && docker rm -f d1", "sandbox"),
    works("docker run -d --name d2 host echo out && docker wait d2 && docker logs d2 && docker rm d2", "out"),
    works("docker run -d --name d3 host sleep 60 && docker cp script.py d3:/tmp/ && docker cp d3:/tmp/script.py copy.py && docker rm -f d3"),
    works("docker create --name d4 host sh -c 'exit 3' && docker start -a d4; docker inspect -f '{{.State.ExitCode}}' d4 && docker rm d4", "3"),
    works("docker run -d --stop-signal WINCH --name d5 host sleep 60 && docker restart -t 0 d5 && docker stop -t 0 d5 && docker ps -a && docker rm d5", "Exited (137)", "sleep ignores WINCH, so that the kill ends it"),
    works("docker run -di --name d6 host head -n1 && echo typed | docker attach d6; docker rm -f d6", "typed"),
    works("docker run -d --name d7 host sleep 60 && docker stats --no-stream d7 && docker top d7 && docker rm -f d7", "sleep 60"),
    works("docker run -d -p 8000 --name d8 host sleep 60 && docker port d8 && docker rm -f d8", "8000/tcp -> 127.0.0.1:"),
    works("docker run -d --name d9 host sleep 60 && docker rename d9 d10 && docker inspect -f '{{.Name}}' d10 && docker rm -f d10", "/d10"),
    works("docker run -d --name d11 host true && docker wait d11 && docker events --since 1m --until 0s -f container=d11 --format '{{.Action}}' && docker rm d11", "die"),
    works("docker run -d --name d12 host sleep 60 && docker update -m 100m --memory-swap 100m --cpus 0.5 --pids-limit 20 d12 && docker rm -f d12", "d12", "[containers.md](containers.md)"),
    differs("docker create --name d13 host true && docker update --memory 0 d13 && docker rm d13", "0 is no limit; docker leaves it as it is", "d13"),
    refused("docker create --name d14 host true; docker update --restart always d14; s=$?; docker rm d14 >/dev/null; exit $s", "--restart: not supported"),
    refused("docker update n", "one or more flags"),
    works("docker container prune -f"),
    refused("docker exec n true", "No such container: n", status=1),
    refused("docker logs n", "No such container: n", status=1),
    refused("docker inspect n", "No such object: n", status=1),
    refused("docker exec -u root n true", "--user: not supported"),
    refused("docker commit n x", "No such container: n", status=1),
    works("docker run -d --name d11 host sleep 60 && docker diff d11 && docker rm -f d11", note="changes of `--writable`; without it there are none"),
    refused("docker export n > n.tar", "No such container: n", status=1),
    works("docker import -c 'CMD [\"true\"]' -c 'ENV A=b' save.tar mine:10 && docker rmi mine:10"),
    refused("docker compose up", "start each program with a run of its own"),
    works("docker volume create vol && docker volume ls && docker volume rm vol", "vol"),
    works("docker volume create --label a=b v2 && docker volume inspect -f '{{.Mountpoint}}' v2 && docker volume ls -qf label=a && docker volume rm v2", "v2"),
    works("docker volume create -d local v3 && docker volume rm -f v3 && docker volume prune -f", "v3", "prune prints no size; it removes nameless ones, with `-a` all that no sandbox uses"),
    works("docker run -d --name dv -v v4:/x host sleep 60 && docker ps --format '{{.Mounts}}' && docker rm -f dv && docker volume rm v4", "v4"),
    refused("docker create --name e1 -v v5:/x host true && docker volume rm v5; s=$?; docker rm e1 && docker volume rm v5 && exit $s", "remove v5: volume is in use - [", status=1),
    refused("docker volume rm nothing", "get nothing: no such volume", status=1),
    refused("docker volume create -d nfs vol", "directories of this machine"),
    refused("docker volume create -o type=nfs vol", "\"type=nfs\" is not supported"),
    refused("docker volume create -o size=10m vol", "project quotas", status=1),
    refused("docker network create n", "a sandbox is in no network; glovebox run --egress LIST names what it may reach"),
    refused("docker system prune", "container prune removes what is kept"),
)

TABLES = {
    "program": PROGRAM,
    "files": FILES,
    "limits": LIMITS,
    "confinement": CONFINEMENT,
    "images": IMAGES,
    "builds": BUILDS,
    "others": OTHERS,
}
