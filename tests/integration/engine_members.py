"""engine_members - members of the body of a create, row by row as docs/engine.md has them.

A probe sends one member, and the label of its row is made of it. What works has an effect that is seen inside, or in
what is said of the container.
"""

from typing import Any

from engine_asks import ACCEPTED, DIFFERS, REFUSED, WORKS, Ask, Member, Row, get, post

TOP = frozenset(
    "Cmd Domainname Entrypoint Env Healthcheck Hostname Image Labels MacAddress NetworkDisabled OpenStdin StdinOnce "
    "StopSignal StopTimeout Tty User Volumes WorkingDir".split()
)
MIB = 1 << 20


def body(given: dict[str, Any], *command: str) -> dict[str, Any]:
    """Return the body of a create with these members, each in its place."""
    whole = {"Image": "host", "Cmd": [*command] or ["true"]}
    whole |= {name: value for name, value in given.items() if name in TOP}
    return whole | {"HostConfig": {name: value for name, value in given.items() if name not in TOP}}


def create(given: dict[str, Any], *command: str) -> Ask:
    """Return the create with these members; the container is ID then."""
    return post("/containers/create", 201, body=body(given, *command))


def inside(label: str, value: Any, script: str, shows: str, **others: Any) -> Member:
    """Return a member whose effect a shell script prints, as a whole line or the begin of one."""
    given = {label.split()[0]: value, **others}
    end = (post("/containers/ID/start", 204), post("/containers/ID/wait"))
    said = get("/containers/ID/logs", shows=shows, stdout="1")
    return Member(label, given, (create(given, "sh", "-c", script), *end, said))


def shown(label: str, value: Any, shows: Any, *asks: Ask, **others: Any) -> Member:
    """Return a member of which inspect tells, after these requests."""
    given = {label.split()[0]: value, **others}
    return Member(label, given, (create(given), *asks, get("/containers/ID/json", shows=shows)))


def limit(label: str, value: Any, host: Any, script: str, shows: str, **others: Any) -> Member:
    """Return a limit of which inspect tells, and whose effect a script prints."""
    one = inside(label, value, script, shows, **others)
    return Member(label, one.given, (*one.asks, get("/containers/ID/json", shows={"HostConfig": host})))


def refused(label: str, value: Any, says: str) -> Member:
    """Return a member that is refused, and a word of why."""
    given = {label.split()[0]: value}
    return Member(label, given, (post("/containers/create", 400, says, body(given)),))


def accepted(label: str, value: Any) -> Member:
    """Return a member that changes nothing: the container is made, and begins."""
    given = {label.split()[0]: value}
    end = (post("/containers/ID/start", 204), post("/containers/ID/wait", shows={"StatusCode": 0}))
    return Member(label, given, (create(given), *end))


def row(here: str, note: str, *members: Member) -> Row:
    """Return a row of members; the first word of a label is the name of one."""
    values: dict[str, dict[str, None]] = {}
    for member in members:
        name, _, value = member.label.partition(" ")
        values.setdefault(name, {})[value] = None
    what = ", ".join(f"`{name}` {', '.join(found)}".rstrip() for name, found in values.items())
    return Row(what, here, note, tuple(member.asks for member in members), members=tuple(members))


# -- what is seen ----------------------------------------------------------------------------

CPU_MAX = "cd /sys/fs/cgroup; echo $(cat cpu.max 2>/dev/null || cat cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us)"
GREEDY = ["python3", "-c", "x = b'x' * (100 << 20)"]
MANY = """python3 -c '
import os, signal
try:
    for n in range(50):
        os.fork() or signal.pause()
except OSError:
    print("no", n)
'"""
LOOK = """python3 -c '
import os
print(os.listdir("/sys/class/net") if os.path.exists("/sys/class/net") else ["lo"])
'"""
TRAPS = "trap 'exit 7' USR1; trap '' TERM; touch /tmp/ready; while :; do sleep 0.02; done"
START, WAIT = post("/containers/ID/start", 204), post("/containers/ID/wait")


def stopped(label: str, value: Any, code: int, **more: Any) -> Member:
    """Return a member that says how a program is stopped that traps USR1, and ignores TERM."""
    given = {label: value}
    ready = ["sh", "-c", "until [ -e /tmp/ready ]; do sleep 0.02; done; echo ready"]
    asks = (
        create(given, "sh", "-c", TRAPS),
        START,
        post("/containers/ID/exec", 201, body={"Cmd": ready, "AttachStdout": True}, names="EXEC"),
        post("/exec/EXEC/start", shows="ready"),
        post("/containers/ID/stop", 204, **more),
    )
    return Member(label, given, (*asks, post("/containers/ID/wait", shows={"StatusCode": code})))


def typed(label: str, script: str, shows: str, **others: Any) -> Member:
    """Return a member that says what becomes of input."""
    given = {label: True, **others}
    attach = post("/containers/ID/attach", 101, shows, typed=b"word\n", stream="1", stdin="1", stdout="1")
    return Member(label, given, (create(given, "sh", "-c", script), START, attach, WAIT))


# -- the rows --------------------------------------------------------------------------------

MEMBERS = (
    row(
        WORKS, "",
        inside("Image", "IMAGE", "cat /etc/group; : x", "root:x:0:"),
        inside("Cmd", ["echo", "a b"], "", "a b"),
        inside("Entrypoint", ["echo", "a"], "", "a b", Cmd=["b"]),
        inside("Env", ["A=x y"], "echo $A", "x y"),
        inside("WorkingDir", "/tmp", "pwd", "/tmp"),
        inside("User", "1234:1235", "id -u; id -g", "1234\n1235"),
        inside("Hostname", "inside.there", "hostname", "inside.there"),
        shown("Labels", {"a": "b", "c": ""}, {"Config": {"Labels": {"a": "b", "c": ""}}}),
        inside("Tty", True, "tty", "/dev/pts/"),
        typed("OpenStdin", "read x; echo got $x", "got word"),
        typed("StdinOnce", "cat; echo end", "end", OpenStdin=True),
        stopped("StopSignal", "SIGUSR1", 7),
        stopped("StopTimeout", 1, 137, within=8),
    ),
    row(
        WORKS, "without them the defaults are glovebox's (512 MiB, 1 CPU, 64 processes)",
        shown("Memory", 64 * MIB, {"HostConfig": {"Memory": 64 * MIB}, "State": {"OOMKilled": True}}, START, WAIT, Cmd=GREEDY),
        shown("MemorySwap", 96 * MIB, {"HostConfig": {"MemorySwap": 96 * MIB}}, Memory=64 * MIB),
        limit("NanoCpus", 500_000_000, {"NanoCpus": 500_000_000}, CPU_MAX, "50000 100000"),
        limit("CpuQuota", 50000, {"CpuQuota": 50000}, CPU_MAX, "50000 100000"),
        limit("CpuPeriod", 200_000, {"CpuPeriod": 200_000}, CPU_MAX, "50000 200000", CpuQuota=50000),
        inside("CpusetCpus", "0", "grep Cpus_allowed_list /proc/self/status", "Cpus_allowed_list:\t0\n"),
        limit("PidsLimit", 20, {"PidsLimit": 20}, MANY, "no "),
        inside("Ulimits", [{"Name": "nofile", "Soft": 100, "Hard": 120}], "ulimit -Sn; ulimit -Hn", "100\n120"),
        inside("ShmSize", 8 * MIB, "df -k /dev/shm", " 8192 "),
        inside("ReadonlyRootfs", True, "(: >/new) 2>&1", "Read-only file system", Image="IMAGE"),
        shown("AutoRemove", True, {"HostConfig": {"AutoRemove": True}}),
        inside("Tmpfs", {"/t": "size=1m"}, "df -k /t; : >/t/new && echo new", " 1024 "),
        inside("Init", True, "echo I am $$", "I am 2"),
    ),
    row(
        WORKS, "a directory is used with the rights of its owner, and named by an absolute path",
        inside("Binds", ["HERE:/x"], "cat /x/file", "content"),
        inside("Mounts", [{"Type": "bind", "Source": "HERE", "Target": "/x", "ReadOnly": True}],
               "cat /x/file; (: >/x/file) 2>&1", "Read-only file system"),
        inside("Mounts", [{"Type": "volume", "Source": "kept", "Target": "/v"}], ": >/v/new && ls /v", "new"),
        inside("Mounts", [{"Type": "tmpfs", "Target": "/t", "TmpfsOptions": {"SizeBytes": MIB, "Mode": 0o1750}}],
               "df -k /t; stat -c %a /t", " 1024 "),
    ),
    row(
        REFUSED, "",
        refused("Binds of a relative path", ["./x:/x"], "absolute paths"),
        refused("Binds of docker.sock", ["/var/run/docker.sock:/x"], "TESTCONTAINERS_RYUK_DISABLED=true"),
        refused("Mounts `VolumeOptions.DriverConfig`", [{"Target": "/x", "VolumeOptions": {"DriverConfig": {"Name": "nfs"}}}], "DriverConfig"),
        refused("Mounts `VolumeOptions.Subpath`", [{"Target": "/x", "Source": "v", "VolumeOptions": {"Subpath": "a"}}], "Subpath"),
        refused("Mounts `TmpfsOptions.Options`", [{"Type": "tmpfs", "Target": "/x", "TmpfsOptions": {"Options": [["exec"]]}}], "HostConfig.Tmpfs"),
    ),
    row(
        WORKS, "",
        shown("Volumes whose target `Binds` or `Mounts` names", {"/x": {}}, {"Mounts": [{"Destination": "/x"}]}, Binds=["HERE:/x"]),
    ),
    row(
        REFUSED, "a volume has a name here",
        refused("Volumes else", {"/x": {}}, "name one in HostConfig.Binds"),
    ),
    row(
        WORKS, "it is so in any case",
        inside("NetworkDisabled", True, LOOK, "['lo']", NetworkMode="default"),
        inside("NetworkMode none", "none", LOOK, "['lo']"),
    ),
    row(
        DIFFERS, "no network, but for published ports and what [`glovebox engine --egress LIST`](#what-containers-reach) gives. `glovebox update --egress LIST NAME`, between create and start, names it for one container",
        inside("NetworkMode default", "default", LOOK, "['lo']"),
        inside("NetworkMode bridge", "bridge", LOOK, "['lo']"),
    ),
    row(
        REFUSED, "",
        refused("NetworkMode host", "host", "--network: host"),
        refused("NetworkMode container:X", "container:X", "--network: container:X"),
        refused("NetworkMode of another name", "mine", "--network: mine"),
    ),
    row(
        DIFFERS, "from this machine to the container; without `HostIp` on 127.0.0.1 only, where Docker listens on every address (`HostIp` 0.0.0.0 does)",
        shown("PortBindings", {"80/tcp": [{"HostIp": "127.0.0.1", "HostPort": ""}]},
              {"NetworkSettings": {"Ports": {"80/tcp": [{"HostIp": "127.0.0.1"}]}}}, START, Cmd=["sleep", "100"]),
    ),
    row(
        DIFFERS, "what the image exposes, on 127.0.0.1 only",
        shown("PublishAllPorts", True, {"NetworkSettings": {"Ports": {"8080/tcp": [{"HostIp": "127.0.0.1"}]}}}, START,
              Image="IMAGE", Cmd=["sleep", "100"]),
    ),
    row(
        ACCEPTED, "a sandbox has no capability, and more is masked",
        accepted("CapDrop", ["ALL"]),
        accepted("SecurityOpt no-new-privileges", ["no-new-privileges"]),
        accepted("MaskedPaths", []),
        accepted("ReadonlyPaths", []),
    ),
    row(
        REFUSED, "",
        refused("Privileged", True, "--privileged"),
        refused("CapAdd", ["SYS_ADMIN"], "--cap-add"),
        refused("Devices", [{"PathOnHost": "/dev/kvm", "PathInContainer": "/dev/kvm"}], "--device"),
        refused("DeviceRequests", [{"Count": -1, "Capabilities": [["gpu"]]}], "--gpus"),
        refused("DeviceCgroupRules", ["a *:* rwm"], "--device-cgroup-rule"),
        refused("PidMode", "host", "--pid"),
        refused("IpcMode", "host", "--ipc"),
        refused("UTSMode", "host", "--uts"),
        refused("UsernsMode", "host", "--userns"),
        refused("CgroupnsMode", "host", "--cgroupns"),
        refused("CgroupParent", "/", "--cgroup-parent"),
        refused("Sysctls", {"kernel.shmmax": "1"}, "--sysctl"),
        refused("GroupAdd", ["0"], "--group-add"),
        refused("SecurityOpt seccomp=JSON", ['seccomp={"defaultAction":"SCMP_ACT_ALLOW"}'], "SecurityOpt"),
        refused("SecurityOpt seccomp=unconfined", ["seccomp=unconfined"], "SecurityOpt"),
        refused("Runtime", "runsc", "--runtime"),
        refused("Isolation", "hyperv", "--isolation"),
    ),
    row(
        REFUSED, "",
        refused("Domainname", "d", "--domainname"),
        refused("MacAddress", "02:42:ac:11:00:02", "--mac-address"),
        refused("ExtraHosts", ["a:1.1.1.1"], "--add-host"),
        refused("Links", ["one:x"], "--link"),
        refused("VolumesFrom", ["one"], "--volumes-from"),
        refused("VolumeDriver", "nfs", "--volume-driver"),
        refused("StorageOpt", {"size": "1g"}, "--storage-opt"),
        refused("MemoryReservation", 64 * MIB, "--memory-reservation"),
        refused("MemorySwappiness", 60, "--memory-swappiness"),
        refused("KernelMemory", 64 * MIB, "--kernel-memory"),
        refused("OomKillDisable", True, "--oom-kill-disable"),
        refused("CpuShares", 512, "--cpu-shares"),
        refused("CpusetMems", "0", "--cpuset-mems"),
        refused("CpuRealtimePeriod", 1000, "--cpu-rt-period"),
        refused("CpuRealtimeRuntime", 1000, "--cpu-rt-runtime"),
        refused("CpuCount", 1, "--cpu-count"),
        refused("CpuPercent", 50, "--cpu-percent"),
        refused("BlkioWeight", 500, "--blkio-weight"),
        refused("BlkioWeightDevice", [{"Path": "/dev/sda", "Weight": 500}], "--blkio-weight-device"),
        refused("BlkioDeviceReadBps", [{"Path": "/dev/sda", "Rate": 1}], "--device-read-bps"),
        refused("BlkioDeviceReadIOps", [{"Path": "/dev/sda", "Rate": 1}], "--device-read-iops"),
        refused("BlkioDeviceWriteBps", [{"Path": "/dev/sda", "Rate": 1}], "--device-write-bps"),
        refused("BlkioDeviceWriteIOps", [{"Path": "/dev/sda", "Rate": 1}], "--device-write-iops"),
    ),
    row(
        ACCEPTED, "it is so in any case",
        *(accepted(f"{name} {value}", value) for name, value in (
            ("IpcMode", "private"), ("CgroupnsMode", "private"), ("Runtime", "runc"), ("VolumeDriver", "local"),
            ("CpuShares", 1024), ("MemorySwappiness", 0), ("Isolation", "default"),
        )),
        accepted("ExtraHosts host.docker.internal:host-gateway", ["host.docker.internal:host-gateway"]),
        accepted("RestartPolicy no", {"Name": "no"}),
    ),
    row(
        ACCEPTED, "names of `--egress` are looked up as this machine does it; over its memory limit a sandbox ends as a whole; no health is asked for",
        accepted("Dns", ["1.1.1.1"]),
        accepted("DnsOptions", ["ndots:1"]),
        accepted("DnsSearch", ["example"]),
        accepted("OomScoreAdj", 500),
        accepted("Healthcheck", {"Test": ["CMD", "false"], "Interval": 1_000_000_000}),
        accepted("Annotations", {"a": "b"}),
        accepted("LogConfig json-file", {"Type": "json-file"}),
        accepted("LogConfig local", {"Type": "local"}),
        accepted("LogConfig none", {"Type": "none"}),
    ),
    row(
        REFUSED, "output is kept as a log; `glovebox generate unit NAME` makes a unit of systemd",
        refused("LogConfig of another type", {"Type": "syslog"}, "--log-driver"),
        refused("RestartPolicy but no", {"Name": "always"}, "glovebox generate unit NAME"),
    ),
)  # fmt: skip
