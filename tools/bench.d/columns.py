"""columns - the ways to run a program that are compared, each with the same limits.

512 MiB, 1 CPU, 64 processes, no network, a read-only root, as far as a peer has
such limits; the notes say what it lacks. Nothing is installed from here.
"""

import dataclasses
import functools
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from measure import Command

MEMORY, PIDS, PERIOD = 512 << 20, 64, 100_000
SECCOMP_PROFILES = (
    (Path("/usr/share/containers/seccomp.json"), "docker's profile (containers-common)"),
    (Path("/etc/containers/seccomp.json"), "docker's profile (containers-common)"),
    (Path(__file__).parents[2] / "policy/python.json", "policy/python.json, ours"),
)


@dataclasses.dataclass(frozen=True)
class Place:
    """The surroundings of every run: glovebox, the image, its root, a folder for our files."""

    glovebox: str
    image: str
    root: str
    build: Path

    @property
    def env(self) -> dict[str, str]:
        """The variables that every program gets, with those that glovebox itself sets."""
        threads = ("OPENBLAS", "OMP", "MKL", "NUMEXPR")
        return {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/tmp",
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLBACKEND": "Agg",
            **{f"{name}_NUM_THREADS": "1" for name in threads},
        }


@dataclasses.dataclass(frozen=True)
class Column:
    """A way to run a program: `make` turns the program's argv into a command.

    `reaps` says whether it waits for all that it starts, so that CPU time counts.
    """

    name: str
    note: str
    make: Callable[[Sequence[str]], Command]
    close: Callable[[], None] = lambda: None
    reaps: bool = True


class Missing(Exception):
    """The machine does not have this peer; the text says what is missing."""


def installed(name: str) -> str:
    path = shutil.which(name)
    if not path:
        raise Missing("not installed")
    return path


def version(argv: Sequence[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip().split("\n")[0]


def floor(place: Place) -> Column:
    """No sandbox: chroot, which is in sbin."""
    chroot = shutil.which("chroot", path="/usr/sbin:/sbin:/usr/bin:/bin") or installed("chroot")
    who = "root" if os.geteuid() == 0 else "root of a user namespace"
    return Column(
        "floor",
        f"plain chroot as {who}, no sandbox",
        lambda argv: Command((chroot, place.root, *argv), place.env, private=True),
    )


def glovebox(place: Place, name: str = "glovebox") -> Column:
    env = {
        k: v
        for k, v in os.environ.items()
        if k.startswith("GLOVEBOX") or k in ("PATH", "HOME", "XDG_DATA_HOME")
    }
    return Column(
        name,
        f"{version([place.glovebox, '--version'])}, all defaults",
        lambda argv: Command((place.glovebox, "run", "--warm=never", place.image, *argv), env),
    )


def one_file(place: Place) -> Column:
    """The same as one static file, which make appliance leaves beside the build's bin."""
    program = Path(place.glovebox).resolve().parents[1] / "appliance/glovebox"
    if not program.exists():
        raise Missing("make appliance builds it")
    return glovebox(dataclasses.replace(place, glovebox=str(program)), "one file")


def bubblewrap(place: Place) -> Column:
    bwrap = installed("bwrap")
    options = ["--unshare-all", "--ro-bind", place.root, "/", "--proc", "/proc", "--dev", "/dev"]
    options += ["--tmpfs", "/tmp", "--die-with-parent", "--new-session"]
    return Column(
        "bubblewrap",
        f"{version([bwrap, '--version'])}: no limits, no system call filter",
        lambda argv: Command((bwrap, *options, *argv), place.env),
        reaps=False,
    )


def nsjail(place: Place) -> Column:
    jail = installed("nsjail")
    options = [
        "-Mo",
        "--quiet",
        "--chroot",
        place.root,
        "--tmpfsmount",
        "/tmp",
        "--rlimit_as",
        "max",
    ]
    options += [
        "--cgroup_mem_max",
        str(MEMORY),
        "--cgroup_pids_max",
        str(PIDS),
        "--cgroup_cpu_ms_per_sec",
        "1000",
    ]
    if Path("/sys/fs/cgroup/cgroup.controllers").exists():
        options += ["--use_cgroupv2"]
    options += [part for name, value in place.env.items() for part in ("--env", f"{name}={value}")]
    return Column(
        "nsjail",
        "limits in control groups, no system call filter",
        lambda argv: Command((jail, *options, "--", *argv), place.env),
    )


def _seccomp() -> tuple[dict[str, object], str]:
    """Docker's profile format to OCI's: rules for other machines and held capabilities go."""
    path, source = next(p for p in SECCOMP_PROFILES if p[0].exists())
    profile = json.loads(path.read_text(encoding="utf-8"))
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    rules = []
    for rule in profile["syscalls"]:
        includes, excludes = rule.get("includes") or {}, rule.get("excludes") or {}
        if (
            includes.get("caps")
            or arch not in includes.get("arches", [arch])
            or arch in excludes.get("arches", [])
        ):
            continue
        rules.append(
            {
                k: v
                for k, v in rule.items()
                if k in ("names", "action", "errnoRet", "args") and v is not None
            }
        )
    machine = {"amd64": "SCMP_ARCH_X86_64", "arm64": "SCMP_ARCH_AARCH64"}[arch]
    default = {k: profile[k] for k in ("defaultAction", "defaultErrnoRet") if k in profile}
    return {**default, "architectures": [machine], "syscalls": rules}, source


def _mount(target: str, kind: str, *options: str) -> dict[str, object]:
    return {"destination": target, "type": kind, "source": kind, "options": ["nosuid", *options]}


def _oci_config(place: Place, argv: Sequence[str], seccomp: dict[str, object]) -> dict[str, object]:
    """A bundle as docker run would make it with its hardened flags."""
    return {
        "ociVersion": "1.0.2",
        "root": {"path": place.root, "readonly": True},
        "hostname": "sandbox",
        "process": {
            "user": {"uid": 1000, "gid": 1000},
            "args": list(argv),
            "env": [f"{name}={value}" for name, value in place.env.items()],
            "cwd": "/",
            "noNewPrivileges": True,
            "capabilities": {},
        },
        "mounts": [
            _mount("/proc", "proc", "nodev", "noexec"),
            _mount("/dev", "tmpfs", "mode=755", "size=64k"),
            _mount("/dev/shm", "tmpfs", "nodev", "noexec", "size=64m"),
            _mount("/tmp", "tmpfs", "nodev", "size=64m"),
        ],
        "linux": {
            "namespaces": [
                {"type": t} for t in ("pid", "network", "ipc", "uts", "mount", "cgroup")
            ],
            "resources": {
                "memory": {"limit": MEMORY, "swap": MEMORY},
                "cpu": {"quota": PERIOD, "period": PERIOD},
                "pids": {"limit": PIDS},
            },
            "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/scsi"],
            "readonlyPaths": [
                "/proc/bus",
                "/proc/fs",
                "/proc/irq",
                "/proc/sys",
                "/proc/sysrq-trigger",
            ],
            "seccomp": seccomp,
        },
    }


def oci(name: str, place: Place) -> Column:
    """crun and runc use the same bundle; there is one for each measured program."""
    runtime = installed(name)
    if os.geteuid() != 0:
        raise Missing("its limits need root here")
    seccomp, source = _seccomp()
    identity = f"glovebox-bench-{os.getpid()}-{name}"
    bundles: dict[tuple[str, ...], Path] = {}

    def make(argv: Sequence[str]) -> Command:
        bundle = bundles.setdefault(tuple(argv), place.build / f"{name}-{len(bundles)}")
        bundle.mkdir(parents=True, exist_ok=True)
        config = json.dumps(_oci_config(place, argv, seccomp), indent=1)
        (bundle / "config.json").write_text(config, encoding="utf-8")
        run = (runtime, "run", "--bundle", str(bundle), identity)
        return Command(run, {"PATH": os.environ["PATH"]}, private=True)

    def close() -> None:
        subprocess.run([runtime, "delete", "-f", identity], capture_output=True, check=False)
        for bundle in bundles.values():
            shutil.rmtree(bundle, ignore_errors=True)

    return Column(name, f"{version([runtime, '--version'])}, {source}", make, close)


DOCKER_FLAGS = [
    "--rm",
    "--network",
    "none",
    "--read-only",
    "--tmpfs",
    "/tmp:size=64m",
    "--memory",
    "512m",
]
DOCKER_FLAGS += [
    "--cpus",
    "1",
    "--pids-limit",
    str(PIDS),
    "--security-opt",
    "no-new-privileges",
    "--user",
    "1000",
]


def docker_flags(place: Place, stays: bool = False) -> list[str]:
    """The flags of `docker run`; what stays is removed by name, and says how large its /tmp is."""
    flags = DOCKER_FLAGS[0 if not stays else 1 :]
    if stays:
        at = flags.index("--tmpfs")
        flags = flags[:at] + flags[at + 2 :]
    return flags + [
        part for name, value in place.env.items() for part in ("--env", f"{name}={value}")
    ]


def docker_image() -> str:
    """The name of the image that docker() imports."""
    return f"glovebox-bench:{os.getpid()}"


def podman(place: Place) -> Column:
    program = installed("podman")
    command = (program, "run", *docker_flags(place), "--rootfs", f"{place.root}:O")
    return Column(
        "podman",
        f"{version([program, '--version'])}, the image's root through an overlay",
        lambda argv: Command((*command, *argv), dict(os.environ)),
        reaps=False,
    )


def docker(place: Place) -> Column:
    """Needs a daemon; the image is imported once and removed afterwards."""
    program = installed("docker")
    if "glovebox" in version([program, "--version"]):
        raise Missing("the docker on PATH is glovebox")
    done = subprocess.run([program, "info"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing("no docker daemon answers")
    name = docker_image()
    with subprocess.Popen(["tar", "-C", place.root, "-c", "."], stdout=subprocess.PIPE) as tar:
        subprocess.run(
            [program, "import", "-", name], stdin=tar.stdout, stdout=subprocess.DEVNULL, check=True
        )

    def close() -> None:
        subprocess.run([program, "rmi", "-f", name], capture_output=True, check=False)

    command = (program, "run", *docker_flags(place), name)
    return Column(
        "docker",
        version([program, "--version"]),
        lambda argv: Command((*command, *argv), dict(os.environ)),
        close,
        reaps=False,
    )


# In the order of the tables. On the image "host" only the first four make sense.
COLUMNS: dict[str, Callable[[Place], Column]] = {
    "floor": floor,
    "glovebox": glovebox,
    "one file": one_file,
    "bubblewrap": bubblewrap,
    "nsjail": nsjail,
    "crun": functools.partial(oci, "crun"),
    "runc": functools.partial(oci, "runc"),
    "podman": podman,
    "docker": docker,
}
ON_HOST = ("floor", "glovebox", "one file", "bubblewrap")
