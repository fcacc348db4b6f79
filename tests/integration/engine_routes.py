"""engine_routes - the requests of the Engine's socket, row by row as docs/engine.md has them.

Members of a query and of a body that the page names are those that the probes of a row send.
"""

import gzip

from engine_asks import DIFFERS, LAST, REFUSED, UNSTARTED, WORKS, Ask, Row, delete, get, packed, post
from engine_members import MEMBERS

SHELL = ("sh", "-c")
STATE = "/containers/ONE/json"
CREATE = {"Image": "host", "Cmd": ["true"]}


def made(*command: str, name: str = "", **body: object) -> tuple[Ask, ...]:
    """Return the create of a container, which is ID then."""
    given = {"Image": "host", "Cmd": list(command), **body}
    return (Ask("POST", "/containers/create", 201, None, given, {"name": name} if name else {}),)


def begun(*command: str, **body: object) -> tuple[Ask, ...]:
    """Return the create and the start of one."""
    return (*made(*command, **body), post("/containers/ID/start", 204))


def ended(*command: str, **body: object) -> tuple[Ask, ...]:
    """Return the life of one."""
    return (*begun(*command, **body), post("/containers/ID/wait"))


def a_program(*command: str, **body: object) -> tuple[Ask, ...]:
    """Return the create of an exec, which is ID then."""
    return (post("/containers/ONE/exec", 201, body={"AttachStdout": True, "Cmd": list(command), **body}),)


def said(*command: str, shows: object, **body: object) -> tuple[Ask, ...]:
    """Return an exec to its end, and what it says."""
    return (*a_program(*command, **body), post("/exec/ID/start", shows=shows, body={}))


def tagged(name: str) -> tuple[Ask, ...]:
    """Return what gives the image one more name."""
    return (post("/images/IMAGE/tag", 201, repo=name),)


def build(shows: object, text: str = "FROM base:1\n", status: int = 200, **query: object) -> tuple[Ask, ...]:
    """Return a build of a Dockerfile."""
    return (post("/build", status, shows, packed(Dockerfile=text), **query),)


def updated(here: str) -> tuple[tuple[Ask, ...], ...]:
    """Return an update for each member of a create that is one of it, too."""
    probes = []
    for name in UPDATED[here]:
        known = {row.here: one for row in MEMBERS for one in row.members if one.label.split()[0] == name}
        member = known.get(here) or known[WORKS]  # of CpusetCpus only the create works
        body = {key: value for key, value in member.given.items() if key in UPDATED[here]}
        if here == REFUSED:
            probes.append((post("/containers/ONE/update", 400, member.asks[0].shows or "not supported", body),))
        else:
            probes.append((post("/containers/ONE/update", shows={"Warnings": None}, body=body), get(STATE, shows={"HostConfig": body})))
    return tuple(probes)


UPDATED = {
    WORKS: ("Memory", "MemorySwap", "NanoCpus", "CpuQuota", "CpuPeriod", "PidsLimit"),
    REFUSED: (
        "RestartPolicy", "MemoryReservation", "KernelMemory", "CpuShares", "CpusetCpus", "CpusetMems", "CpuRealtimePeriod", "CpuRealtimeRuntime",
        "CgroupParent", "BlkioWeight", "BlkioWeightDevice", "BlkioDeviceReadBps", "BlkioDeviceReadIOps", "BlkioDeviceWriteBps",
        "BlkioDeviceWriteIOps",
    ),
}  # fmt: skip
TYPED = {"OpenStdin": True, "StdinOnce": True}
READS = (*SHELL, "read x; echo got $x; exit 3")
SIZED = (*SHELL, "until [ \"$(stty size)\" = '44 88' ]; do sleep 0.02; done; echo sized")
CHANGED = {"Image": "IMAGE", "WorkingDir": "/var/work", "Cmd": [*SHELL, "echo x >new"]}
TWO = packed(f="content\n")


SYSTEM = (
    Row("GET /_ping", WORKS, "HEAD as well", ((get("/_ping", shows="OK"), Ask("HEAD", "/_ping")),)),
    Row("GET /version", WORKS, "a version of Docker, whose answers these are, beside that of glovebox", (
        (get("/version", shows={"ApiVersion": "1.51", "MinAPIVersion": "1.24"}), get("/version", shows="glovebox")),
    )),
    Row("GET /info", WORKS, "members about storage and plugins are empty", (
        (get("/info", shows={"Containers": int, "OSType": "linux", "Plugins": {}}),),
    )),
    Row("GET /events", WORKS, "events of containers", (
        (*ended("true", name="told", Labels={"a": "told"}), *(
            get("/events", shows=[{"Action": "die", "Type": "container"}], since="1", until="NOW",
                filters={key: [value], "event": ["die"]})
            for key, value in (("container", "told"), ("label", "a=told"), ("image", "host:latest"), ("type", "container"))
        )),
    )),
)  # fmt: skip

UPDATES = (
    Row("POST /containers/*/update", WORKS, "limits that `glovebox update` changes", updated(WORKS)),
    Row("POST /containers/*/update", REFUSED, "", updated(REFUSED)),
)

CONTAINERS = (
    Row("GET /containers/json", WORKS, "`size` counts nothing", (
        (*ended(*SHELL, "exit 9", name="listed", Labels={"a": "listed"}), *(
            get("/containers/json", shows=[{"Names": ["/listed"], "State": "exited"}], all="1", limit="1000", size="1",
                filters={key: [value], "exited": ["9"]})
            for key, value in (("name", "listed"), ("id", "ID"), ("ancestor", "host"), ("status", "exited"), ("label", "a=listed"))
        )),
    )),
    Row("POST /containers/create", WORKS, "[below](#create)", (
        (post("/containers/create", 201, {"Id": str}, CREATE, name="made", platform="linux"), get("/containers/made/json", shows={"Name": "/made"})),
    )),
    Row("POST /containers/prune", WORKS, "what has ended goes", (
        (*ended("true"), post("/containers/prune", shows={"ContainersDeleted": ["ID"]})),
    ), only="alone"),
    Row("POST /containers/prune", REFUSED, "a filter would keep something", (
        (post("/containers/prune", 400, "invalid filter", filters={"label": ["a"]}),),
    )),
    Row("GET /containers/*/json", WORKS, "what Docker alone has (paths of its own files) is not there", (
        (get(STATE, shows={"State": {"Running": True}, "Image": "host"}),),
    )),
    Row("POST /containers/*/start", WORKS, "", (
        (*begun("sleep", "100"), get("/containers/ID/json", shows={"State": {"Running": True}}), post("/containers/ID/start", 304)),
    )),
    Row("POST /containers/*/stop", WORKS, "", (
        (post("/containers/ONE/stop", 204, t="100"), get(STATE, shows={"State": {"ExitCode": 0, "Running": False}})),
        (post("/containers/ONE/stop", 204, signal="KILL"), get(STATE, shows={"State": {"ExitCode": 137}})),
    )),
    Row("POST /containers/*/restart", WORKS, "", (
        (*ended("true"), post("/containers/ID/restart", 204), post("/containers/ID/wait"),
         get("/events", shows=[{"Action": "restart"}], since="1", until="NOW", filters={"container": ["ID"]})),
        (post("/containers/ONE/restart", 204, t="0"), get(STATE, shows={"State": {"Running": True}})),
    )),
    Row("POST /containers/*/kill", WORKS, "", (
        (post("/containers/ONE/kill", 204, signal="9"), post("/containers/ONE/wait", shows={"StatusCode": 137})),
    )),
    Row("POST /containers/*/pause", WORKS, "", (
        (post("/containers/ONE/pause", 204), get(STATE, shows={"State": {"Paused": True}})),
    )),
    Row("POST /containers/*/unpause", WORKS, "", (
        (post("/containers/ONE/pause", 204), post("/containers/ONE/unpause", 204), get(STATE, shows={"State": {"Paused": False}})),
    )),
    Row("POST /containers/*/rename", WORKS, "", (
        (post("/containers/ONE/rename", 204, name="renamed"), get("/containers/renamed/json", shows={"Name": "/renamed"})),
    )),
    *UPDATES,
    Row("POST /containers/*/wait", WORKS, "not-running, next-exit, removed", (
        (*ended(*SHELL, "exit 3"), post("/containers/ID/wait", shows={"StatusCode": 3}, condition="not-running")),
        (*made(*SHELL, "exit 3"), post("/containers/ID/wait", shows={"StatusCode": 3}, condition="next-exit",
                                       meanwhile=(post("/containers/ID/start", 204),))),
        (*made(*SHELL, "exit 3", HostConfig={"AutoRemove": True}),
         post("/containers/ID/wait", shows={"StatusCode": 3}, condition="removed", meanwhile=(post("/containers/ID/start", 204),))),
    )),
    Row("POST /containers/*/attach", WORKS, "with and without an upgrade; a client that reads slowly does not stall the program, whose output is kept as a log", (
        (*begun(*SHELL, "echo early; read x; echo $x >&2; echo got $x", **TYPED),
         post("/containers/ID/attach", 101, "got word", typed=b"word\n", stream="1", stdin="1", stdout="1", stderr="1", logs="1")),
        (*ended("echo", "hi"), post("/containers/ID/attach", shows="hi", logs="1", stdout="1")),
    )),
    Row("POST /containers/*/resize", WORKS, "for terminals that are attached by this process", (
        (*begun(*SIZED, Tty=True, OpenStdin=True),
         post("/containers/ID/attach", 101, "sized", typed=b"", stream="1", stdin="1", stdout="1",
              meanwhile=(post("/containers/ID/resize", h="44", w="88"),))),
    )),
    Row("POST /containers/*/exec", WORKS, "", (
        said(*SHELL, "echo $A $(pwd)", Env=["A=x"], WorkingDir="/tmp", shows="x /tmp"),
        said(*SHELL, "echo said >&2", AttachStderr=True, shows="said"),
        said("tty", Tty=True, shows="/dev/pts/"),
        (*a_program("cat", AttachStdin=True), post("/exec/ID/start", 101, "word", typed=b"word\n")),
    )),
    Row("POST /containers/*/exec", REFUSED, "the create of the exec succeeds, and its start ends with exit code 125; `User` is refused also where it names the container's own user, whom every program has", (
        (*said("true", User="0", shows="--user: not supported"), get("/exec/ID/json", shows=UNSTARTED)),
        (*said("true", Privileged=True, shows="--privileged"), get("/exec/ID/json", shows=UNSTARTED)),
    )),
    Row("GET /containers/*/logs", WORKS, "", (
        (*ended(*SHELL, "echo out; echo err >&2"),
         get("/containers/ID/logs", shows="Z out", stdout="1", stderr="1", tail="2", since="1", until="NOW", timestamps="1", follow="1"),
         get("/containers/ID/logs", shows="err", stderr="1")),
    )),
    Row("GET /containers/*/top", DIFFERS, "PID, NAME and COMMAND, whatever `ps_args` asks", (
        (get("/containers/ONE/top", shows={"Titles": ["PID", "NAME", "COMMAND"]}, ps_args="-o pid"),),
    )),
    Row("GET /containers/*/stats", WORKS, "for memory, processor time and processes; no network and no disk is counted", (
        (get("/containers/ONE/stats", shows={"memory_stats": {"limit": 512 << 20}, "pids_stats": {"current": int}}, stream="0"),),
    )),
    Row("GET /containers/*/changes", WORKS, "for a root that can be changed", (
        (*ended(**CHANGED), get("/containers/ID/changes", shows=[{"Kind": 1, "Path": "/var/work/new"}])),
    )),
    Row("GET /containers/*/export", WORKS, "for a root that can be changed", (
        (*ended(**CHANGED), get("/containers/ID/export", shows="ustar")),
    )),
    Row("GET /containers/*/archive", WORKS, "HEAD as well", (
        (*ended(**CHANGED), get("/containers/ID/archive", shows="new", path="/var/work/new")),
        (get("/containers/ONE/archive", shows="root:", path="/etc/passwd"), Ask("HEAD", "/containers/ONE/archive", query={"path": "/etc"})),
    )),
    Row("PUT /containers/*/archive", WORKS, "of a tar that is not compressed; owners are those of the container's programs", (
        (*made(**CHANGED), Ask("PUT", "/containers/ID/archive", body=TWO, query={"path": "/tmp"}),
         get("/containers/ID/archive", shows="content", path="/tmp/f")),
        (Ask("PUT", "/containers/ONE/archive", body=TWO, query={"path": "/tmp"}),
         get("/containers/ONE/archive", shows="content", path="/tmp/f")),
    )),
    Row("PUT /containers/*/archive", REFUSED, "a compressed tar", (
        (Ask("PUT", "/containers/ONE/archive", 400, "tar", gzip.compress(TWO), {"path": "/tmp"}),),
    )),
    Row("DELETE /containers/*", WORKS, "`v` and `link` change nothing", (
        (delete("/containers/ONE", 409, "is running"), delete("/containers/ONE", v="1", link="0", force="1"),
         get(STATE, 404, "No such container")),
        (*begun("sleep", "100", HostConfig={"AutoRemove": True}), delete("/containers/ID", force="1"),
         get("/containers/ID/json", 404, "No such container")),
    )),
    Row("POST /commit", WORKS, "a name (`repo`) is needed", (
        (*ended(**CHANGED), post("/commit", 201, {"Id": str}, container="ID", repo="committed", tag="2"),
         get("/images/committed:2/json", shows={"RepoTags": ["committed:2"]})),
    )),
)  # fmt: skip

EXECS = (
    Row("POST /exec/*/start", WORKS, "with and without an upgrade, detached as well; `Tty` here says whether there are frames", (
        (*a_program(*SHELL, "stty size; read x; echo got $x", Tty=True, AttachStdin=True),
         post("/exec/ID/start", 101, "33 77", {"Tty": True, "ConsoleSize": [33, 77]}, typed=b"word\n")),
        (*a_program(*SHELL, "echo there >/tmp/there"), post("/exec/ID/start", body={"Detach": True}),
         *said(*SHELL, "until [ -s /tmp/there ]; do sleep 0.02; done; cat /tmp/there", shows="there")),
    )),
    Row("POST /exec/*/resize", WORKS, "for execs that were started by this process", (
        (*a_program(*SIZED, Tty=True, AttachStdin=True),
         post("/exec/ID/start", 101, "sized", typed=b"", meanwhile=(post("/exec/ID/resize", h="44", w="88"),))),
    )),
    Row("GET /exec/*/json", WORKS, "`Pid` is 0", (
        (*said(*SHELL, "echo $A; exit 3", shows=""), get("/exec/ID/json", shows={"ExitCode": 3, "Pid": 0, "Running": False})),
    )),
)  # fmt: skip

IMAGES = (
    Row("GET /images/json", WORKS, "for images with a name; an image keeps no label; `host` is not listed", (
        (*tagged("listed"), get("/images/json", shows=[{"RepoTags": ["listed:latest"]}], filters={"reference": ["listed"], "dangling": ["false"]}),
         get("/images/json", shows="[]", filters={"label": ["a=b"]}), get("/images/json", shows="listed", filter="listed")),
    )),
    Row("GET /images/json", REFUSED, "other filters", ((get("/images/json", 400, "invalid filter", filters={"since": ["x"]}),),)),
    Row("POST /images/create", WORKS, "a pull by skopeo (of what is here nothing is fetched), or an import of the body (`fromSrc=-`)", (
        (post("/images/create", shows="up to date", fromImage="base", tag="1", platform="linux"),),
        (Ask("POST", "/images/create", 200, "sha256:", TWO, {"fromSrc": "-", "repo": "imported", "tag": "2", "changes": "ENV A=b"}),
         get("/images/imported:2/json", shows={"Config": {"Env": ["A=b"]}})),
    )),
    Row("POST /images/create", REFUSED, "a source by URL", (
        (post("/images/create", 400, "from the body", fromSrc="http://x", repo="x"),),
    )),
    Row("POST /images/load", WORKS, "for an archive of one image, with and without a name", (
        (*tagged("loaded"), get("/images/get", names="loaded"), post("/images/load", shows="Loaded image: loaded:latest", body=LAST, quiet="1")),
    )),
    Row("POST /images/prune", WORKS, "with dangling=false an image on which a container runs stays, that of one that has ended goes", (
        (*tagged("pruned"), post("/images/prune", shows="Untagged", filters={"dangling": ["false"]}), get("/images/pruned/json", 404),
         get("/images/json", shows="[]")),
    ), only="alone"),
    Row("POST /images/prune", REFUSED, "other filters", ((post("/images/prune", 400, "until", filters={"until": ["1h"]}),),)),
    Row("GET /images/get", WORKS, "for one image", ((get("/images/get", shows="manifest.json", names="IMAGE"),),)),
    Row("GET /images/get", REFUSED, "several", ((get("/images/get?names=IMAGE&names=IMAGE", 400, "names"),),)),
    Row("GET /images/**/json", WORKS, "by a name, an id, or 12 digits of one", ((get("/images/IMAGE/json", shows={"RepoTags": ["IMAGE"]}),),)),
    Row("GET /images/**/history", WORKS, "one layer", ((get("/images/IMAGE/history", shows=[{"Tags": ["IMAGE"]}]),),)),
    Row("GET /images/**/get", WORKS, "", ((get("/images/IMAGE/get", shows="manifest.json"),),)),
    Row("GET /images/**", REFUSED, "with 404: nothing else is asked of one", ((get("/images/IMAGE/other", 404, "not found"),),)),
    Row("POST /images/**/tag", WORKS, "", (
        (post("/images/IMAGE/tag", 201, repo="tagged", tag="2"), get("/images/tagged:2/json", shows={"RepoTags": ["tagged:2"]})),
    )),
    Row("POST /images/**/push", REFUSED, "", ((post("/images/IMAGE/push", 400, "only pulled from"),),)),
    Row("DELETE /images/**", WORKS, "an id removes all names of it; 409 while a container has it, unless it has ended and `force` is given", (
        (*tagged("removed"), *ended(Image="removed", Cmd=["id"]), delete("/images/removed", 409, "must force"),
         delete("/images/removed", 200, [{"Untagged": "removed:latest"}], force="1", noprune="1")),
    )),
)  # fmt: skip

FILE = "FROM base:1\nARG A\nRUN echo $A >/made\n"
BUILDS = (
    Row("POST /build", DIFFERS, "what `glovebox image build` can ([images.md](images.md)), of a context in the body; a RUN has no network", (
        (*build("Successfully tagged built:2", FILE, t="built:2", buildargs={"A": "b"}, target="", nocache="1", pull="0", memory="67108864", platform="linux", dockerfile="Dockerfile"),
         *ended(Image="built:2", Cmd=["cat", "/made"]), get("/containers/ID/logs", shows="b\n", stdout="1")),
        build("sha256:", t="built:3", q="1"),
    ), only="root"),
    Row("POST /build", REFUSED, "", (
        build("remote", status=400, remote="http://x"),
        build("cpushares", status=400, cpushares="512"),
        build("cpusetcpus", status=400, cpusetcpus="0"),
        build("cpuperiod", status=400, cpuperiod="1000"),
        build("cpuquota", status=400, cpuquota="1000"),
        build("extrahosts", status=400, extrahosts="a:1.1.1.1"),
        build("squash", status=400, squash="1"),
        build("outputs", status=400, outputs="type=tar"),
        build("cgroupparent", status=400, cgroupparent="/"),
        build("ulimits", status=400, ulimits="[{}]"),
        build("--network", status=400, networkmode="host"),
    )),
)  # fmt: skip

VOLUMES = (
    Row("GET /volumes", WORKS, "", (
        (post("/volumes/create", 201, body={"Name": "listed", "Labels": {"a": "b"}}),
         get("/volumes", shows={"Volumes": [{"Name": "listed"}]},
             filters={"name": ["listed"], "label": ["a=b"], "dangling": ["true"], "driver": ["local"]})),
    )),
    Row("GET /volumes", REFUSED, "other filters", ((get("/volumes", 400, "invalid filter", filters={"until": ["1h"]}),),)),
    Row("POST /volumes/create", WORKS, "`DriverOpts` `size` is a project quota where the file system has these, and refused elsewhere", (
        (post("/volumes/create", 201, {"Name": "made", "Labels": {"a": "b"}}, {"Name": "made", "Labels": {"a": "b"}, "Driver": "local"}),),
    )),
    Row("POST /volumes/create", REFUSED, "other options of a driver, another driver, a volume of a cluster", (
        (post("/volumes/create", 400, "is not supported", {"DriverOpts": {"type": "nfs"}}),),
        (post("/volumes/create", 400, "directories of this machine", {"Driver": "nfs"}),),
        (post("/volumes/create", 400, "one machine", {"ClusterVolumeSpec": {}}),),
    )),
    Row("POST /volumes/prune", WORKS, "no size is counted", (
        (post("/volumes/create", 201, body={"Name": "pruned", "Labels": {"a": "pruned"}}),
         post("/volumes/prune", shows={"VolumesDeleted": ["pruned"]}, filters={"all": ["true"], "label": ["a=pruned"], "name": ["pruned"]})),
    )),
    Row("POST /volumes/prune", REFUSED, "other filters", ((post("/volumes/prune", 400, "invalid filter", filters={"until": ["1h"]}),),)),
    Row("GET /volumes/*", WORKS, "", (
        (post("/volumes/create", 201, body={"Name": "found"}), get("/volumes/found", shows={"Name": "found", "Scope": "local"})),
    )),
    Row("DELETE /volumes/*", WORKS, "409 as long as a container has it", (
        (*made("true", HostConfig={"Binds": ["used:/v"]}), delete("/volumes/used", 409, "volume is in use"), delete("/containers/ID"),
         delete("/volumes/used"), delete("/volumes/used", force="1")),
    )),
)  # fmt: skip

OTHERS = (
    Row("GET /system/df", WORKS, "of containers and volumes no size is counted", (
        (get("/system/df", shows={"LayersSize": int, "Images": [{"Id": str}]}),),
    )),
    Row("GET /networks", DIFFERS, "`bridge` and `none`, which is all there is", ((get("/networks", shows=[{"Name": "bridge"}, {"Name": "none"}]),),)),
    Row("GET /networks/*", DIFFERS, "the same", (
        (get("/networks/none", shows={"Name": "none"}), get("/networks/bridge", shows={"Name": "bridge"}),
         get(f"/networks/{b'none'.hex()}{56 * '0'}", shows={"Name": "none"})),
    )),
    Row("POST /networks/**", REFUSED, "no sandbox joins another's", (
        (post("/networks/create", 400, "there are two networks", {"Name": "x"}), post("/networks/bridge/connect", 400, "there are two")),
    )),
    Row("DELETE /networks/*", REFUSED, "the same", ((delete("/networks/none", 400, "there are two networks"),),)),
    Row("GET /plugins/*/json", REFUSED, "with 404: there are none", ((get("/plugins/x/json", 404, 'plugin'),),)),
)  # fmt: skip

ROUTES = (*SYSTEM, *CONTAINERS, *EXECS, *IMAGES, *BUILDS, *VOLUMES, *OTHERS)
