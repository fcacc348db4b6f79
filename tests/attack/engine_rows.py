"""engine_rows - what a client of the Engine's socket may try, and how it is answered.

Each table is (what, how it is asked, status, a word of the reply). A row is refused, and nothing is made; what is
accepted, and has another meaning than was hoped for, is in test_engine.py.
"""

import json
from urllib.parse import quote

# -- members of HostConfig that would open the host ------------------------------------------

PRIVILEGES = [
    ("Privileged", {"Privileged": True}, "--privileged"),
    ("Privileged, in lower case", {"privileged": True}, "--privileged"),
    ("Privileged, as a number", {"Privileged": 1}, "true or false"),
    ("Privileged, as a word", {"Privileged": "true"}, "true or false"),
    ("Privileged, the second of two", {"Privileged": False, "pRIVILEGED": True}, "--privileged"),
    ("CapAdd", {"CapAdd": ["ALL"]}, "capability"),
    ("CapAdd, one of the harmless", {"CapAdd": ["CAP_CHOWN"]}, "capability"),
    ("CapAdd, as a text", {"CapAdd": "ALL"}, "list of strings"),
    ("Devices", {"Devices": [{"PathOnHost": "/dev/kvm", "PathInContainer": "/dev/kvm"}]}, "--device"),
    ("Devices, as texts", {"Devices": ["/dev/kvm"]}, "list of objects"),
    ("Devices, as an object", {"Devices": {"PathOnHost": "/dev/kvm"}}, "list of objects"),
    ("DeviceCgroupRules", {"DeviceCgroupRules": ["a *:* rwm"]}, "--device-cgroup-rule"),
    ("DeviceRequests", {"DeviceRequests": [{"Count": -1, "Capabilities": [["gpu"]]}]}, "--gpus"),
    ("DeviceRequests, as an object", {"DeviceRequests": {"Count": -1}}, "list of objects"),
    ("PidMode host", {"PidMode": "host"}, "--pid"),
    ("PidMode of another", {"PidMode": "container:one"}, "--pid"),
    ("IpcMode host", {"IpcMode": "host"}, "--ipc"),
    ("UTSMode host", {"UTSMode": "host"}, "--uts"),
    ("UsernsMode host", {"UsernsMode": "host"}, "--userns"),
    ("CgroupnsMode host", {"CgroupnsMode": "host"}, "--cgroupns"),
    ("NetworkMode host", {"NetworkMode": "host"}, "--network"),
    ("NetworkMode of another", {"NetworkMode": "container:one"}, "--network"),
    ("NetworkMode by a path", {"NetworkMode": "ns:/proc/1/ns/net"}, "--network"),
    ("seccomp=unconfined", {"SecurityOpt": ["seccomp=unconfined"]}, "builtin"),
    ("seccomp:unconfined", {"SecurityOpt": ["seccomp:unconfined"]}, "builtin"),
    ("seccomp, in upper case", {"SecurityOpt": ["SECCOMP=unconfined"]}, "not supported"),
    ("seccomp, behind a blank", {"SecurityOpt": [" seccomp=unconfined"]}, "not supported"),
    ("seccomp, a file", {"SecurityOpt": ["seccomp=/etc/passwd"]}, "builtin"),
    ("seccomp, a profile", {"SecurityOpt": ['seccomp={"defaultAction":"SCMP_ACT_ALLOW"}']}, "builtin"),
    ("seccomp, the second of two", {"SecurityOpt": ["seccomp=builtin", "seccomp=unconfined"]}, "builtin"),
    ("systempaths=unconfined", {"SecurityOpt": ["systempaths=unconfined"]}, "not supported"),
    ("no-new-privileges=false", {"SecurityOpt": ["no-new-privileges=false"]}, "always holds"),
    ("no-new-privileges:false", {"SecurityOpt": ["no-new-privileges:false"]}, "always holds"),
    ("label=type", {"SecurityOpt": ["label=type:spc_t"]}, "not supported"),
    ("SecurityOpt, as a text", {"SecurityOpt": "seccomp=unconfined"}, "list of strings"),
    ("CgroupParent", {"CgroupParent": "/"}, "--cgroup-parent"),
    ("Sysctls", {"Sysctls": {"kernel.core_pattern": "|/x"}}, "--sysctl"),
    ("GroupAdd", {"GroupAdd": ["0"]}, "--group-add"),
    ("Runtime", {"Runtime": "/bin/sh"}, "--runtime"),
    ("Isolation", {"Isolation": "process"}, "--isolation"),
    ("Links", {"Links": ["one:x"]}, "--link"),
    ("ExtraHosts", {"ExtraHosts": ["a:1.1.1.1"]}, "--add-host"),
    ("OomKillDisable", {"OomKillDisable": True}, "--oom-kill-disable"),
    ("RestartPolicy", {"RestartPolicy": {"Name": "always"}}, "--restart"),
    ("LogConfig", {"LogConfig": {"Type": "syslog"}}, "--log-driver"),
    ("BlkioDeviceReadBps", {"BlkioDeviceReadBps": [{"Path": "/dev/sda", "Rate": 1}]}, "--device-read-bps"),
    ("Memory, negative", {"Memory": -1}, "--memory"),
    ("Memory, too large for a number", {"Memory": 1e300}, "whole number"),
    ("Memory, as a text", {"Memory": "1g"}, "whole number"),
    ("NanoCpus, negative", {"NanoCpus": -5}, "whole number"),
    ("Ulimits with a second one inside", {"Ulimits": [{"Name": "nofile=1:2 --x", "Soft": 1, "Hard": 2}]}, "--ulimit"),
    ("Ulimits, as an object", {"Ulimits": {"Name": "nofile", "Soft": 1, "Hard": 2}}, "list of"),
    ("PortBindings with a further colon", {"PortBindings": {"80/tcp": [{"HostPort": "80:90"}]}}, "--publish"),
    ("PortBindings with a further word", {"PortBindings": {"80/tcp --privileged": [{}]}}, "--publish"),
    ("HostConfig, as a text", "--privileged", "must be an object"),
]

# -- paths of the host -----------------------------------------------------------------------


def mount(**members: object) -> dict[str, object]:
    """Return a HostConfig with one mount."""
    return {"Mounts": [{"Type": "bind", "Target": "/x", **members}]}


def bind(text: str) -> dict[str, object]:
    """Return a HostConfig with one bind."""
    return {"Binds": [text]}


# "HERE" is a directory that may be mounted.
PATHS = [
    ("/", bind("/:/x"), "cannot be mounted"),
    ("/, by another way", bind("/..//./:/x"), "cannot be mounted"),
    ("/, through a link of /proc", bind("/proc/self/root:/x"), "cannot be mounted"),
    ("/proc", bind("/proc:/x"), "cannot be mounted"),
    ("/sys", bind("/sys:/x"), "cannot be mounted"),
    ("/dev", bind("/dev:/x"), "cannot be mounted"),
    ("a descriptor", bind("/proc/self/fd/0:/x"), ""),
    ("the socket, by the usual name", bind("/var/run/docker.sock:/var/run/docker.sock"), "socket"),
    ("the socket, by its own", bind("SOCKET:/x"), "cannot be mounted"),
    ("the directory of the engine", bind("./x:/x"), "absolute"),
    ("the one above it", bind("../x:/x"), "absolute"),
    ("a path that is not absolute", bind("a/b:/x"), "absolute"),
    ("a home", bind("~/x:/x"), "absolute"),
    ("no source", bind(":/x"), ""),
    ("no target", bind("/x"), "anonymous"),
    ("nothing", bind(""), "anonymous"),
    ("a target that is the root", bind("HERE:/"), "destination"),
    ("a target below /proc", bind("HERE:/proc/sys"), "/proc"),
    ("a target with ..", bind("HERE:/a/../.."), ".."),
    ("propagation", bind("HERE:/x:shared"), "propagation"),
    ("an option that does not exist", bind("HERE:/x:exec"), "exec"),
    ("a volume whose name begins with a dash", bind("-v:/x"), "characters"),
    ("Binds, as a text", {"Binds": "/:/x"}, "list of strings"),
    ("Binds, with a number", {"Binds": [1]}, "list of strings"),
    ("a mount of /", mount(Source="/"), "cannot be mounted"),
    ("a mount that is not absolute", mount(Source="x"), "absolute"),
    ("a mount with a second key inside", mount(Source="HERE,readonly=false"), "comma"),
    ("a mount with a quote", mount(Source='HERE"'), "quote"),
    ("a type with a second key inside", mount(Type="bind,source=/", Source="HERE"), "comma"),
    ("a type with a quote", mount(Type='"bind', Source="HERE"), "quote"),
    ("a type with a line feed", mount(Type="bind\nx", Source="HERE"), ""),
    ("a pipe", mount(Type="npipe", Source="HERE"), "npipe"),
    ("a part of a volume", mount(Type="volume", Source="vol", VolumeOptions={"Subpath": "../.."}), "Subpath"),
    ("a driver's options", mount(Type="volume", Source="vol", VolumeOptions={"DriverConfig": {"Options": {"o": "bind"}}}),
     "DriverConfig"),
    ("options of a tmpfs", mount(Type="tmpfs", TmpfsOptions={"Options": [["suid"]]}), "Options"),
    ("VolumeDriver", {"VolumeDriver": "nfs"}, "--volume-driver"),
    ("VolumesFrom", {"VolumesFrom": ["one"]}, "--volumes-from"),
    ("StorageOpt", {"StorageOpt": {"size": "1g"}}, "--storage-opt"),
    ("a tmpfs with set-uid programs", {"Tmpfs": {"/x": "exec,suid,dev"}}, "suid"),
    ("a tmpfs at /proc", {"Tmpfs": {"/proc": ""}}, "/proc"),
]  # fmt: skip

# -- members that could be a word of their own -----------------------------------------------

WORDS = [
    ("Image, a flag", {"Image": "--privileged"}, "image name"),
    ("Image, a short flag", {"Image": "-v"}, "image name"),
    ("Image, the end of flags", {"Image": "--"}, "image name"),
    ("Image, two words", {"Image": "host --privileged"}, "image name"),
    ("Image, two lines", {"Image": "host\n--privileged"}, "image name"),
    ("Image, a file", {"Image": "@/etc/passwd"}, "image name"),
    ("Image, a path", {"Image": "/etc"}, "no image"),
    ("Image, a path above", {"Image": "../../etc"}, "no image"),
    ("Image, nothing", {"Image": ""}, "Image"),
    ("Image, a number", {"Image": 5}, "Image"),
    ("Cmd, a number", {"Cmd": [1]}, "Cmd"),
    ("Cmd, a list in it", {"Cmd": [["sh"]]}, "Cmd"),
    ("Env, without a name", {"Env": ["=x"]}, "name"),
    ("Env, as an object", {"Env": {"A": "b"}}, "Env"),
    ("Labels, as a list", {"Labels": ["a=b"]}, "Labels"),
    ("Labels, without a name", {"Labels": {"": "c"}}, "name"),
    ("User, two lines", {"User": "1\n0"}, "--user"),
    ("WorkingDir, a path above", {"WorkingDir": "../.."}, "absolute"),
    ("Hostname, a flag", {"Hostname": "--x"}, "host name"),
    ("Hostname, two lines", {"Hostname": "a\nb"}, "host name"),
    ("StopSignal, two words", {"StopSignal": "KILL --privileged"}, "signal"),
    ("Volumes, as a list", {"Volumes": ["/x"], "HostConfig": {"Binds": ["HERE:/x"]}}, "Volumes"),
    ("Volumes, as a list with mounts", {"Volumes": ["/x"], "HostConfig": mount(Source="HERE")}, "Volumes"),
]

# -- paths and queries ------------------------------------------------------------------------


def filtered(value: object) -> str:
    """Return a query with filters."""
    return "filters=" + quote(value if isinstance(value, str) else json.dumps(value))


# "ONE" is the id of a container that runs. None: any that is no success.
ASKED = [
    ("a name that is a flag", "POST /containers/ONE/rename?name=--force", 400, "--force"),
    ("a name that is a flag behind a slash", "POST /containers/ONE/rename?name=/--force", 400, "Invalid container name"),
    ("no name", "POST /containers/ONE/rename?name=/", 400, "name"),
    ("a name with a line feed", "POST /containers/ONE/rename?name=a%0ab", 400, "Invalid container name"),
    ("a NUL in a name", "POST /containers/ONE/rename?name=a%00b", 400, "name"),
    ("a name that is a path", "POST /containers/ONE/rename?name=../../x", 400, "Invalid container name"),
    ("a name of a create", "POST /containers/create?name=--privileged", 400, ""),
    ("a container that is a path", "GET /containers/..%2f..%2fetc/json", 404, "No such container"),
    ("a container that is above", "GET /containers/%2e%2e/json", 404, "No such container"),
    ("a container that is a flag", "DELETE /containers/--force", 404, "No such container"),
    ("a container that is a star", "DELETE /containers/%2a", 404, "No such container"),
    ("a container with a line feed", "GET /containers/ONE%0a/json", 404, "No such container"),
    ("a container with a NUL", "GET /containers/ONE%00/json", 404, "Not Found"),
    ("no container", "GET /containers//json", 404, "Not Found"),
    ("a signal that is a flag", "POST /containers/ONE/kill?signal=--all", 400, "not a signal"),
    ("a signal of two words", "POST /containers/ONE/kill?signal=KILL%20--all", 400, "not a signal"),
    ("a negative signal", "POST /containers/ONE/kill?signal=-9", 400, "not a signal"),
    ("a signal that does not exist", "POST /containers/ONE/kill?signal=9999", 400, "range"),
    ("a time that is a flag", "POST /containers/ONE/stop?t=x--signal", 400, "--time"),
    ("logs since a flag", "GET /containers/ONE/logs?stdout=1&since=--follow", 400, "--since"),
    ("logs until nonsense", "GET /containers/ONE/logs?stdout=1&until=x%0ay", 400, "--until"),
    ("events with an unknown filter", f"GET /events?until=1&{filtered({'--format': ['{{.}}']})}", 400, "--filter"),
    ("a filter that is a flag", f"GET /containers/json?{filtered({'--all': ['x']})}", 400, "--filter"),
    ("a filter that is a number", f"GET /containers/json?{filtered({'name': [1]})}", 400, "invalid filter"),
    ("filters that are a list", f"GET /containers/json?{filtered(['a'])}", 400, "invalid filters"),
    ("filters that are no JSON", f"GET /containers/json?{filtered('{')}", 400, "invalid filters"),
    ("a prune that would keep something", f"POST /containers/prune?{filtered({'label': ['keep']})}", 400, "filter"),
    ("a commit to a flag", "POST /commit?container=ONE&repo=--change", 400, ""),
    ("a commit to a file", "POST /commit?container=ONE&repo=docker-archive:/tmp/x", 400, ""),
    ("a commit of a flag", "POST /commit?container=--help&repo=x", 404, "No such container"),
    ("a version that is negative", "GET /v1.-41/info", 404, "Not Found"),
    ("a version that is too new", "GET /v1.99/info", 400, "too new"),
    ("a version twice", "GET /v1.41/v1.41/info", 404, "Not Found"),
    ("a condition of a wait", "POST /containers/ONE/wait?condition=x%0a", 400, "invalid condition"),
    ("a size of a terminal", "POST /containers/ONE/resize?h=-1&w=99999", 400, "height"),
    ("a network that is a path", "GET /networks/..%2fx", 404, "not found"),
    ("an exec that is a path", "GET /exec/..%2f..%2fx/json", 404, "No such exec"),
    ("an exec that is a container", "GET /exec/ONE/json", 404, "No such exec"),
    ("an exec of nothing", f"POST /exec/{'0' * 64}/start", 404, "No such exec"),
    ("an image that is a flag", "DELETE /images/--force", 400, "reference"),
    ("an image that is a path", "POST /images/..%2f..%2fetc/tag?repo=x", 400, "reference"),
    ("a tag that is a flag", "POST /images/host/tag?repo=--x", 400, "reference"),
    ("an image that is used", "DELETE /images/host?force=1", 409, "conflict"),
    ("a pull from a file", "POST /images/create?fromImage=docker-archive:/tmp/x", 400, "reference"),
    ("an import of a file", "POST /images/create?fromSrc=/etc/passwd&repo=x", 400, "fromSrc"),
    ("a build of a directory", "POST /build?remote=/etc", 400, "remote"),
    ("a save of a path", "GET /images/get?names=/etc", 400, "reference"),
    ("a prune of images that would keep some", f"POST /images/prune?{filtered({'until': ['1h']})}", 400, "filter"),
    ("a volume that is a flag", "DELETE /volumes/--force", 404, "no such volume"),
    ("a volume that is a path", "GET /volumes/..%2f..%2fetc", 404, "no such volume"),
    ("a swarm", "POST /swarm/init", 404, "Not Found"),
    ("a plugin", "POST /plugins/pull", 404, "Not Found"),
    ("a session of BuildKit", "POST /session", 404, "Not Found"),
    ("a profile of the process", "GET /debug/pprof/heap", 404, "Not Found"),
    ("a file, without its path", "GET /containers/ONE/archive", 400, "path"),
    ("a file above", "GET /containers/ONE/archive?path=../../../root/.ssh", 404, ""),
    ("a file through /proc", "GET /containers/ONE/archive?path=/proc/1/root/etc/shadow", 404, ""),
    ("a file named -", "GET /containers/ONE/archive?path=-", 404, ""),
    ("a file that says that all is well", "GET /containers/ONE/archive?path=/nothing/x%0aready", 404, ""),
    ("a device", "GET /containers/ONE/archive?path=/dev/zero", None, ""),
    ("a file from far too deep", f"GET /containers/ONE/archive?path=/{'a' * 5000}", None, ""),
]  # fmt: skip

# -- bodies ------------------------------------------------------------------------------------

BODIES = [
    ("an open bracket", b"["),
    ("a list", b"[]"),
    ("a number", b"1"),
    ("a text", b'"x"'),
    ("an open brace", b"{"),
    ("something behind it", b'{"Image":"host"}x'),
    ("a NUL", b'{"Image":"host\0"}'),
    ("an escaped NUL", rb'{"Image":"host\u0000"}'),
    ("half of a surrogate", rb'{"Image":"host","Cmd":["\ud800"]}'),
    ("a hundred thousand brackets", b"[" * 100000),
    ("too deep", b'{"a":' * 70 + b"1" + b"}" * 70),
    ("bytes that are no UTF-8", b'{"Image":"host","Cmd":["\xff\xc0"]}'),
    ("a word of a megabyte", b'{"Image":"' + b"a" * (1 << 20) + b'"}'),
]

# -- framing -----------------------------------------------------------------------------------

HOST = "Host: docker\r\n"
FRAMING = [
    ("two lengths", f"POST /containers/prune HTTP/1.1\r\n{HOST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}", 400),
    ("a length and chunks",
     f"POST /containers/prune HTTP/1.1\r\n{HOST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("a length that is negative", f"POST /containers/prune HTTP/1.1\r\n{HOST}Content-Length: -1\r\n\r\n", 400),
    ("a length that is too large", f"POST /containers/prune HTTP/1.1\r\n{HOST}Content-Length: 99999999999\r\n\r\n", 413),
    ("chunks that are none", f"POST /containers/prune HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    ("an encoding that is unknown", f"POST /containers/prune HTTP/1.1\r\n{HOST}Transfer-Encoding: gzip\r\n\r\n", None),
    ("a header that goes on", f"GET /info HTTP/1.1\r\n{HOST}A: b\r\n c\r\n\r\n", 400),
    ("a header without a name", f"GET /info HTTP/1.1\r\n{HOST}: x\r\n\r\n", 400),
    ("a path with a blank", f"GET /info x HTTP/1.1\r\n{HOST}\r\n", 400),
    ("a path that is an address", f"GET http://docker/info HTTP/1.1\r\n{HOST}\r\n", 400),
    ("another version", f"GET /info HTTP/9.9\r\n{HOST}\r\n", None),
    ("headers without an end", f"GET /info HTTP/1.1\r\n{HOST}" + "A: b\r\n" * 20000, 431),
    ("a method that is none", f"BREW /info HTTP/1.1\r\n{HOST}\r\n", 405),
]  # fmt: skip
