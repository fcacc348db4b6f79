"""engine: what clients of the Engine's socket ask once: the Engine itself, and the life of a container."""

import contextlib
import json
import os
import socket
import stat
import threading

from support.engine import EngineCase
from support.run import glovebox
from support.times import wait_until

NANO = r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z\Z"
ZERO = "0001-01-01T00:00:00Z"
TRUE, FALSE = ("1", "true", "True"), ("0", "false", "False", "")


class Itself(EngineCase):
    """Ping, version, info, paths and their versions."""

    as_user = ("test_ping_names_the_version",)

    def test_ping_names_the_version(self) -> None:
        """HEAD and GET, with a version before the path and without."""
        for method in ("HEAD", "GET"):
            for path in ("/_ping", "/v1.41/_ping"):
                answer = self.assert_answer(self.engine.request(method, path))
                self.assertEqual((answer.headers["Api-Version"], answer.headers["Ostype"]), ("1.51", "linux"))
                self.assertEqual(answer.headers["Docker-Experimental"], "false")
                self.assertEqual(answer.body, b"OK" if method == "GET" else b"")

    def test_version_says_what_is_spoken(self) -> None:
        """docker-py takes what is said here, and Debian's docker 1.41."""
        version = self.assert_answer(self.engine.get("/version")).json
        self.assertEqual((version["ApiVersion"], version["MinAPIVersion"]), ("1.51", "1.24"))
        self.assertEqual((version["Os"], version["KernelVersion"]), ("linux", os.uname().release))

    def test_other_versions_are_refused(self) -> None:
        """The oldest and the newest are spoken, and none beyond."""
        for version in ("1.24", "1.41", "1.51"):
            self.assert_answer(self.engine.get(f"/v{version}/containers/json"))
        self.assert_answer(self.engine.get("/v1.23/containers/json"), 400, "client version 1.23 is too old")
        self.assert_answer(self.engine.get("/v1.52/containers/json"), 400, "client version 1.52 is too new")

    def test_info_counts(self) -> None:
        """Those that run, that stand still, and that do neither."""
        self.running()
        still = self.running()
        self.assert_answer(self.engine.post(f"/containers/{still}/pause"), 204)
        self.create()
        info = self.assert_answer(self.engine.get("/info")).json
        counts = [info[f"Containers{kind}"] for kind in ("", "Running", "Paused", "Stopped")]
        self.assertEqual(counts, [3, 1, 1, 1])
        self.assertIs(info["ExperimentalBuild"], False)  # docker-py's own tests ask

    def test_what_is_not_there_is_404(self) -> None:
        """The docker command goes on from one kind of thing to the next by this alone."""
        for path in ("/containers/x/json", "/networks/x", "/plugins/x/json", "/swarm", "/x"):
            self.assert_answer(self.engine.get(path), 404)
        self.assert_answer(self.engine.get("/containers/x/json"), 404, "No such container: x")

    def test_only_the_user_reaches_it(self) -> None:
        """The socket is nobody else's."""
        self.assertEqual(stat.S_IMODE(self.engine.path.stat().st_mode) & 0o077, 0)


class Create(EngineCase):
    """The body of a create."""

    def refused(self, status: int, *wanted: str, **body: object) -> None:
        """Assert that a body is refused, and that nothing was made."""
        given = {"Image": self.image, "Cmd": ["true"], **body}
        self.assert_answer(self.engine.post("/containers/create", given), status, *wanted)
        self.assertEqual(self.engine.get("/containers/json", all="1").json, [])

    def test_inspect_says_what_was_asked_for(self) -> None:
        """What clients read of it is there."""
        shared = self.subfolder("shared")
        one = self.create(
            "sh", "-c", "exit 0",
            name="described", Env=["A=1=2", "EMPTY="], Labels={"a": "b", "c": ""}, WorkingDir="/tmp", Hostname="inside", Tty=True,
            HostConfig={"Memory": 64 << 20, "NanoCpus": 500000000, "PidsLimit": 50, "Binds": [f"{shared}:/shared:ro"]},
        )  # fmt: skip
        found = self.described("described")
        self.assertEqual((found["Id"], found["Name"]), (one, "/described"))
        self.assertEqual(found["Config"]["Cmd"], ["sh", "-c", "exit 0"])
        self.assertEqual(found["Config"]["Labels"], {"a": "b", "c": ""})
        self.assertIs(found["Config"]["Tty"], True)
        self.assertEqual(found["Config"]["Image"], self.image)
        self.assertEqual((found["HostConfig"]["Init"], found["HostConfig"]["CgroupnsMode"]), (True, "private"))
        self.assertIn(found["HostConfig"]["NetworkMode"].replace("default", "bridge"), found["NetworkSettings"]["Networks"])
        self.assertEqual({"A=1=2", "EMPTY="} - {*found["Config"]["Env"]}, set())
        host = found["HostConfig"]
        self.assertEqual([host[key] for key in ("Memory", "NanoCpus", "PidsLimit")], [64 << 20, 500000000, 50])
        self.assertEqual(host["LogConfig"]["Type"], "json-file")
        [mount] = found["Mounts"]
        self.assertEqual((mount["Source"], mount["Destination"], mount["RW"]), (str(shared), "/shared", False))
        self.assertEqual(found["NetworkSettings"]["Ports"], {})
        state = found["State"]
        self.assertEqual((state["Status"], state["Running"], state["ExitCode"], state["StartedAt"]), ("created", False, 0, ZERO))
        self.assertRegex(found["Created"], NANO)

    def test_entrypoint_comes_before_the_command(self) -> None:
        """One word or several, as a list or as a text; with none the command is the program."""
        for entrypoint, command, said in (
            (["echo", "a"], ["b"], b"a b\n"),
            ("echo", ["b"], b"b\n"),
            (["echo"], [], b"\n"),
            (None, ["echo", "c"], b"c\n"),
            ([], ["echo", "c"], b"c\n"),
            (["echo", "-x"], ["--help", "-y"], b"-x --help -y\n"),
        ):
            answer = self.engine.post("/containers/create", {"Image": self.image, "Entrypoint": entrypoint, "Cmd": command})
            one = self.assert_answer(answer, 201).json["Id"]
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
            self.assert_answer(self.engine.post(f"/containers/{one}/wait"))
            self.assertEqual(self.logs(one), (said, b""), (entrypoint, command))

    def test_a_bare_variable_is_not_this_process_own(self) -> None:
        """PATH of the server must not be copied by `Env: ["HOME"]`."""
        one = self.ended("sh", "-c", "echo ${XDG_STATE_HOME-unset}", Env=["XDG_STATE_HOME"])
        self.assertEqual(self.logs(one)[0], b"unset\n")

    def test_keys_in_any_case_the_last_of_two_counts(self) -> None:
        """As the one who executes sees it, so the one who judges."""
        body = '{"IMAGE": "host", "cmd": ["echo", "a"], "Cmd": ["echo", "b"], "hostconfig": {"readonlyrootfs": true}}'
        one = self.assert_answer(self.engine.request("POST", "/containers/create", body, {"Content-Type": "application/json"}), 201).json["Id"]
        self.assertEqual(self.described(one)["Config"]["Cmd"], ["echo", "b"])
        for text in ('{"Image": "host", "HostConfig": {"PRIVILEGED": true}}', '{"Image": "host", "hostconfig": {"Privileged": false, "privileged": true}}'):
            answer = self.engine.request("POST", "/containers/create", text, {"Content-Type": "application/json"})
            self.assert_answer(answer, 400, "--privileged")

    def test_null_is_nothing(self) -> None:
        """Clients send many."""
        empty = dict.fromkeys(["Env", "Entrypoint", "Labels", "Volumes", "ExposedPorts", "User", "Healthcheck", "NetworkingConfig"])
        host = dict.fromkeys(["Binds", "Mounts", "Memory", "PortBindings", "CapAdd", "SecurityOpt", "PidsLimit", "LogConfig", "MaskedPaths"])
        self.assertEqual(self.logs(self.ended("echo", "hi", HostConfig=host, **empty)), (b"hi\n", b""))

    def test_what_the_docker_command_sends_is_taken(self) -> None:
        """Its zeros, empty lists and defaults, as it sends them with every create."""
        body = {
            "Hostname": "", "Domainname": "", "User": "", "AttachStdin": False, "AttachStdout": True, "AttachStderr": True, "Tty": False,
            "OpenStdin": False, "StdinOnce": False, "Env": None, "Cmd": ["echo", "hi"], "Image": self.image, "Volumes": {}, "WorkingDir": "",
            "Entrypoint": None, "OnBuild": None, "Labels": {}, "NetworkingConfig": {"EndpointsConfig": {"default": None}},
            "HostConfig": {
                "Binds": None, "ContainerIDFile": "", "LogConfig": {"Type": "", "Config": {}}, "NetworkMode": "default", "PortBindings": {},
                "RestartPolicy": {"Name": "no", "MaximumRetryCount": 0}, "AutoRemove": False, "VolumeDriver": "", "VolumesFrom": None,
                "ConsoleSize": [24, 80], "CapAdd": None, "CapDrop": None, "CgroupnsMode": "", "Dns": [], "DnsOptions": [], "DnsSearch": [],
                "ExtraHosts": None, "GroupAdd": None, "IpcMode": "", "Cgroup": "", "Links": None, "OomScoreAdj": 0, "PidMode": "",
                "Privileged": False, "PublishAllPorts": False, "ReadonlyRootfs": False, "SecurityOpt": None, "UTSMode": "", "UsernsMode": "",
                "ShmSize": 0, "Isolation": "", "CpuShares": 0, "Memory": 0, "NanoCpus": 0, "CgroupParent": "", "BlkioWeight": 0,
                "BlkioWeightDevice": [], "BlkioDeviceReadBps": [], "CpuPeriod": 0, "CpuQuota": 0, "CpuRealtimePeriod": 0, "CpuRealtimeRuntime": 0,
                "CpusetCpus": "", "CpusetMems": "", "Devices": [], "DeviceCgroupRules": None, "DeviceRequests": None, "MemoryReservation": 0,
                "MemorySwap": 0, "MemorySwappiness": -1, "OomKillDisable": False, "PidsLimit": 0, "Ulimits": [], "CpuCount": 0, "CpuPercent": 0,
                "IOMaximumIOps": 0, "IOMaximumBandwidth": 0, "MaskedPaths": None, "ReadonlyPaths": None,
            },
        }  # fmt: skip
        one = self.assert_answer(self.engine.post("/containers/create", body), 201).json
        self.assert_answer(self.engine.post(f"/containers/{one['Id']}/start"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one['Id']}/wait"))
        self.assertEqual(self.logs(one["Id"]), (b"hi\n", b""))


    def test_wrong_bodies_are_400(self) -> None:
        """No JSON, another type, a name that cannot be, nothing to run."""
        json_type = {"Content-Type": "application/json"}
        for body in ("", "[]", "{", '{"Image": "host"', '"x"', "nonsense"):
            self.assert_answer(self.engine.request("POST", "/containers/create", body, json_type), 400)
        for members in ({"Cmd": 3}, {"Cmd": [3]}, {"Env": "A=1"}, {"Labels": []}, {"HostConfig": []}, {"Tty": "yes"}, {"Image": ""}, {"Image": "-x"}):
            self.refused(400, **members)
        self.refused(400, "Memory", HostConfig={"Memory": "64m"})
        for name in ("x" * 5000, "a b", "-x", "../x"):
            self.assert_answer(self.engine.post("/containers/create", {"Image": self.image, "Cmd": ["true"]}, name=name), 400)

    def test_no_such_image_is_404(self) -> None:
        """Clients pull then."""
        self.refused(404, "No such image: nowhere:1", Image="nowhere:1")

    def test_a_name_that_is_taken_is_409(self) -> None:
        """And the container that has it is named."""
        one = self.create(name="taken")
        answer = self.engine.post("/containers/create", {"Image": self.image, "Cmd": ["true"]}, name="taken")
        self.assert_answer(answer, 409, 'Conflict. The container name "/taken" is already in use', one[:12])

    def test_options_in_the_query_change_nothing(self) -> None:
        """dockerode sends each of them there, too."""
        query = {"Hostname": "x", "Cmd": json.dumps(["false"]), "HostConfig": "x" * 6000, "name": "queried"}
        self.assert_answer(self.engine.post("/containers/create", {"Image": self.image, "Cmd": ["true"]}, **query), 201)
        self.assertEqual(self.described("queried")["Config"]["Cmd"], ["true"])


class Reached(EngineCase):
    """What containers of an Engine reach that was started with a list of hosts."""

    def setUp(self) -> None:
        """Have a server on this machine, and an Engine whose containers may reach it."""
        super().setUp()
        server = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        self.port = str(server.getsockname()[1])
        threading.Thread(target=self.serve, args=(server,), daemon=True).start()
        self.engine = self.start_engine("--egress", "none", "--allow-host", self.port)

    @staticmethod
    def serve(server: socket.socket) -> None:
        """Greet each client, until the socket is closed."""
        with contextlib.suppress(OSError):
            while True:
                client, _ = server.accept()
                client.sendall(b"welcome\n")
                client.close()

    def asked(self, **body: object) -> bytes:
        """Return what a container gets of the server."""
        ask = f"import socket\ntry: print(socket.create_connection(('host.docker.internal', {self.port}), 10).makefile().read(), end='')\nexcept OSError: print('none')"
        return self.logs(self.ended("python3", "-c", ask, **body))[0]

    def test_the_lists_are_those_of_its_containers(self) -> None:
        """Whose create names no network, or Docker's default."""
        for mode in ({}, {"HostConfig": {"NetworkMode": "default"}}, {"HostConfig": {"networkmode": "bridge"}, "NetworkDisabled": False}):
            self.assertEqual(self.asked(**mode), b"welcome\n", mode)

    def test_a_client_that_wants_no_network_has_none(self) -> None:
        """By either of the two members."""
        for mode in ({"HostConfig": {"NetworkMode": "none"}}, {"NetworkDisabled": True}):
            self.assertEqual(self.asked(**mode), b"none\n", mode)

    def test_another_engine_gives_nothing(self) -> None:
        """The lists are of the one process."""
        self.engine = self.start_engine()
        self.assertEqual(self.asked(), b"none\n")

    def test_a_ceiling_holds_for_the_lists(self) -> None:
        """The start is refused; where the ceiling changes later, no container is made but one that wants no network."""
        ceiling = self.file("ceiling.json", json.dumps({"egress": ["example.org"]}))
        said = glovebox("engine", "--listen", f"unix:{self.folder}/never.sock", "--ceiling", ceiling, "--egress", "example.com")
        self.assert_refused(said, "example.com", str(ceiling))
        ceiling.write_text(json.dumps({"egress": ["example.com"]}))
        self.engine = self.start_engine("--ceiling", str(ceiling), "--egress", "example.com")
        ceiling.write_text(json.dumps({"egress": ["example.org"]}))
        self.assert_answer(self.engine.post("/containers/create", {"Image": self.image, "Cmd": ["true"]}), 400, "example.com", str(ceiling))
        self.ended("true", NetworkDisabled=True)

    def test_a_list_that_is_none_is_refused_at_the_start(self) -> None:
        """The message names the flag."""
        for flags in (["--egress", "a b"], ["--allow-host", "x"], ["--allow-private", "lan.example"]):
            said = glovebox("engine", "--listen", f"unix:{self.folder}/never.sock", *flags)
            self.assertEqual(said.status, 125)
            self.assertIn(flags[0], said.err)


class Life(EngineCase):
    """Statuses by which clients decide."""

    def test_begin_and_end(self) -> None:
        """204 for what is done, 304 for what was so already."""
        one = self.create("sh", "-c", "trap 'exit 3' TERM; echo ready; while :; do sleep 0.02; done")
        self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/start"), 304)
        state = self.state(one)
        self.assertEqual((state["Status"], state["Running"], state["FinishedAt"]), ("running", True, ZERO))
        self.assertRegex(state["StartedAt"], NANO)
        self.await_said(one, b"ready")
        self.assert_answer(self.engine.post(f"/containers/{one}/stop"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/stop"), 304)
        state = self.state(one)
        self.assertEqual((state["Status"], state["Running"], state["ExitCode"]), ("exited", False, 3))
        self.assertRegex(state["FinishedAt"], NANO)
        self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)

    def await_said(self, one: str, text: bytes) -> None:
        """Wait until a container has printed something."""
        with self.engine.stream("GET", f"/containers/{one}/logs?stdout=1&follow=1") as stream:
            stream.expect(text)

    def test_grace_is_that_of_the_query(self) -> None:
        """A program that ignores SIGTERM is killed after it."""
        one = self.running("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.02; done")
        self.await_said(one, b"ready")
        self.assert_answer(self.engine.post(f"/containers/{one}/stop", t="0"), 204)
        self.assertEqual(self.state(one)["ExitCode"], 137)
        self.assert_answer(self.engine.post(f"/containers/{one}/stop", t="x"), 304)
        self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/stop", t="x"), 400)

    def test_restart(self) -> None:
        """One that runs begins anew, and one that does not begins."""
        one = self.running()
        first = self.state(one)["StartedAt"]
        self.assert_answer(self.engine.post(f"/containers/{one}/restart", t="0"), 204)
        self.assertNotEqual(self.state(one)["StartedAt"], first)
        self.assert_answer(self.engine.post(f"/containers/{one}/kill"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/wait"))
        self.assert_answer(self.engine.post(f"/containers/{one}/restart"), 204)
        self.assertEqual(self.state(one)["Status"], "running")

    def test_restart_of_one_that_is_removed_at_its_end(self) -> None:
        """A restart is no end, as often as it is asked for; the next end is one."""
        one = self.running(HostConfig={"AutoRemove": True})
        for grace in ("0", "5"):
            first = self.state(one)["StartedAt"]
            self.assert_answer(self.engine.post(f"/containers/{one}/restart", t=grace), 204)
            self.assertEqual(self.state(one)["Status"], "running")
            self.assertNotEqual(self.state(one)["StartedAt"], first)
        self.assert_answer(self.engine.post(f"/containers/{one}/stop", t="0"), 204)
        wait_until(lambda: self.engine.get(f"/containers/{one}/json").status == 404)
        self.assert_answer(self.engine.get(f"/containers/{one}/json"), 404)

    def test_kill(self) -> None:
        """By a name, by a number, by none; an unknown one is 400, one that does not run 409."""
        for signal, code in (("SIGKILL", 137), ("9", 137), ("KILL", 137), ("", 137)):
            one = self.running()
            self.assert_answer(self.engine.post(f"/containers/{one}/kill", signal=signal), 204)
            self.assertEqual(self.engine.post(f"/containers/{one}/wait").json["StatusCode"], code)
        self.assert_answer(self.engine.post(f"/containers/{one}/kill"), 409, "is not running")
        self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/kill", signal="SIGNONE"), 400)

    def test_pause(self) -> None:
        """Of one that stands still, exec, attach and pause are 409, and stop ends it."""
        one = self.running(name="still")
        self.assert_answer(self.engine.post(f"/containers/{one}/unpause"), 500, "is not paused")
        self.assert_answer(self.engine.post(f"/containers/{one}/pause"), 204)
        state = self.state(one)
        self.assertEqual((state["Status"], state["Paused"], state["Running"]), ("paused", True, True))
        self.assert_answer(self.engine.post(f"/containers/{one}/pause"), 409, "already paused")
        self.assert_answer(self.engine.post(f"/containers/{one}/exec", {"Cmd": ["true"]}), 409, "paused")
        self.assert_answer(self.engine.post(f"/containers/{one}/attach?stream=1&stdout=1"), 409, "paused")
        self.assert_answer(self.engine.post(f"/containers/{one}/unpause"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/pause"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/stop", t="5"), 204)
        self.assertEqual(self.state(one)["Status"], "exited")
        self.assert_answer(self.engine.post(f"/containers/{one}/pause"), 409, "is not running")

    def test_rename(self) -> None:
        """To its own name is 400, to another's 409."""
        self.create(name="first")
        self.create(name="second")
        self.assert_answer(self.engine.post("/containers/first/rename", name="first"), 400)
        self.assert_answer(self.engine.post("/containers/first/rename", name="second"), 409)
        self.assert_answer(self.engine.post("/containers/first/rename", name=""), 400)
        self.assert_answer(self.engine.post("/containers/first/rename", name="/third"), 204)
        self.assertEqual(self.described("third")["Name"], "/third")
        self.assert_answer(self.engine.get("/containers/first/json"), 404)

    def test_update(self) -> None:
        """Limits of one that runs."""
        one = self.running(HostConfig={"Memory": 64 << 20})
        answer = self.engine.post(f"/containers/{one}/update", {"Memory": 128 << 20, "MemorySwap": 128 << 20})
        self.assertIn("Warnings", self.assert_answer(answer).json)
        self.assertEqual(self.described(one)["HostConfig"]["Memory"], 128 << 20)
        self.assert_answer(self.engine.post(f"/containers/{one}/update", {}))
        self.assert_answer(self.engine.post(f"/containers/{one}/update", {"Memory": "x"}), 400)

    def test_remove(self) -> None:
        """One that runs is 409 without force; the name is free when the answer is there."""
        self.running(name="removed")
        self.assert_answer(self.engine.delete("/containers/removed"), 409, "is running")
        for value in TRUE:
            self.assert_answer(self.engine.delete("/containers/removed", force=value, v="1"), 204)
            self.running(name="removed")
        for value in FALSE:
            self.assert_answer(self.engine.delete("/containers/removed", force=value), 409)
        self.assert_answer(self.engine.delete("/containers/removed", force="1"), 204)
        self.assert_answer(self.engine.delete("/containers/removed", force="1"), 404, "No such container: removed")

    def test_begin_of_what_cannot_begin(self) -> None:
        """The text says which status the docker command exits with."""
        for program, status, text in (("/nowhere", 400, "no such file or directory"), ("nowhere", 400, "executable file not found"), ("/etc", 400, "permission denied")):
            one = self.create(program)
            self.assert_answer(self.engine.post(f"/containers/{one}/start"), status, text)
            self.assertNotEqual(self.state(one)["Status"], "running")

    def test_prune(self) -> None:
        """What has ended goes, what runs stays; a filter that is not kept to removes nothing."""
        stays, goes = self.running(), self.ended("true")
        self.assert_answer(self.engine.post("/containers/prune", filters={"label!": {"keep": True}, "unknown": ["x"]}), 400, "invalid filter")
        self.described(goes)
        answer = self.assert_answer(self.engine.post("/containers/prune")).json
        self.assertEqual(answer["ContainersDeleted"], [goes])
        self.described(stays)

    def test_each_verb_of_what_is_not_there_is_404(self) -> None:
        """With Docker's words."""
        for verb in ("start", "stop", "restart", "kill", "pause", "unpause", "wait", "attach?stream=1", "rename?name=x", "update", "exec", "resize?h=1&w=1"):
            body = {"Cmd": ["true"]} if verb == "exec" else {}
            self.assert_answer(self.engine.post(f"/containers/none/{verb}", body), 404, "No such container: none")
        for what in ("json", "logs?stdout=1", "top", "stats?stream=0", "changes", "export", "archive?path=/"):
            self.assert_answer(self.engine.get(f"/containers/none/{what}"), 404, "No such container: none")
        self.assert_answer(self.engine.request("PUT", "/containers/none/archive?path=/", b""), 404, "No such container: none")


class Looks(EngineCase):
    """The list, and what is in a container."""

    def names(self, **query: object) -> list[str]:
        """Return the names that a list has."""
        return [one["Names"][0] for one in self.assert_answer(self.engine.get("/containers/json", **query)).json]

    def test_list(self) -> None:
        """Those that run, or all; the newest comes first."""
        self.create("true", name="made")
        self.running(name="runs", Labels={"a": "b"})
        self.ended("sh", "-c", "exit 7", name="ended")
        self.assertEqual(self.names(), ["/runs"])
        for value in TRUE:
            self.assertEqual(self.names(all=value), ["/ended", "/runs", "/made"])
        for value in FALSE:
            self.assertEqual(self.names(all=value), ["/runs"])
        self.assertEqual(self.names(limit="2"), ["/ended", "/runs"])
        self.assertEqual(self.names(limit="-1", size="0", trunc_cmd="0"), ["/runs"])
        [one] = self.engine.get("/containers/json").json
        self.assertEqual((one["State"], one["Labels"], one["Ports"]), ("running", {"a": "b"}, []))
        self.assertEqual(one["Image"].removesuffix(":latest"), self.image)
        self.assertRegex(one["Status"], r"\AUp ")
        self.assertIsInstance(one["Created"], int)
        self.assertIsInstance(one["Mounts"], list)
        [one] = self.engine.get("/containers/json", filters={"name": ["ended"]}, all="1").json
        self.assertRegex(one["Status"], r"\AExited \(7\) ")
        self.assertEqual(one["Command"], "sh -c exit 7")

    def test_filters_in_both_forms(self) -> None:
        """Lists and maps; an unknown one is 400."""
        one = self.running(name="runs", Labels={"a": "b", "c": ""})
        self.ended("sh", "-c", "exit 7", name="ended")
        for filters, found in (
            ({"name": ["run"]}, ["/runs"]),
            ({"name": {"run": True}}, ["/runs"]),
            ({"label": {"a=b": True}}, ["/runs"]),
            ({"label": ["a=b", "c"]}, ["/runs"]),
            ({"label": ["a=x"]}, []),
            ({"status": ["exited"]}, ["/ended"]),
            ({"status": {"exited": True, "running": True}}, ["/ended", "/runs"]),
            ({"exited": ["7"]}, ["/ended"]),
            ({"id": [one[:12]]}, ["/runs"]),
            ({"ancestor": [self.image]}, ["/ended", "/runs"]),
            ({}, ["/ended", "/runs"]),
        ):
            self.assertEqual(self.names(all="1", filters=filters), found, filters)
        for bad in ({"unknown": ["x"]}, {"name": 3}, {"name": [3]}, [1], "x"):
            self.assert_answer(self.engine.get("/containers/json", filters=bad), 400, "filter")

    def test_ids_and_their_beginnings(self) -> None:
        """Both name a container."""
        one = self.create()
        self.assertEqual(self.described(one[:12])["Id"], one)

    def test_top(self) -> None:
        """Each process has a row."""
        one = self.running("sh", "-c", "sleep 1000 & echo ready; wait")
        found = self.assert_answer(self.engine.get(f"/containers/{one}/top")).json
        self.assertTrue(all(len(row) == len(found["Titles"]) for row in found["Processes"]), found)
        self.assertTrue(any("sh -c" in row[-1] for row in found["Processes"]), found)
        self.assert_answer(self.engine.post(f"/containers/{one}/kill"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/wait"))
        self.assert_answer(self.engine.get(f"/containers/{one}/top"), 409, "is not running")

    def test_stats_have_an_earlier_sample(self) -> None:
        """Clients compute per cent from the difference of the two."""
        one = self.running("sh", "-c", "while :; do :; done", HostConfig={"Memory": 64 << 20})
        for query in ({"stream": "0"}, {"stream": "False"}, {"stream": "0", "one-shot": "1"}):
            found = self.assert_answer(self.engine.get(f"/containers/{one}/stats", **query)).json
            self.assertEqual((found["name"][1:], found["id"]), (self.described(one)["Name"][1:], one))
            self.assertEqual(found["memory_stats"]["limit"], 64 << 20)
            self.assertGreater(found["memory_stats"]["usage"], 0)
            self.assertGreaterEqual(found["pids_stats"]["current"], 1)
            self.assertGreater(found["cpu_stats"]["system_cpu_usage"], 0)
        before = found["precpu_stats"]
        self.assertGreater(found["cpu_stats"]["system_cpu_usage"], before["system_cpu_usage"])
        self.assertGreater(found["cpu_stats"]["cpu_usage"]["total_usage"], before["cpu_usage"]["total_usage"])

    def test_stats_go_on_to_the_end(self) -> None:
        """Line by line."""
        one = self.running("sh", "-c", "while :; do :; done")
        with self.engine.stream("GET", f"/containers/{one}/stats") as stream:
            while stream.seen.count(b'"memory_stats"') < 2:
                stream.expect(b"\n")
                stream.seen += stream.socket.recv(1 << 16)
        self.assert_answer(self.engine.post(f"/containers/{one}/kill"), 204)
        self.assert_answer(self.engine.post(f"/containers/{one}/wait"))
        found = self.assert_answer(self.engine.get(f"/containers/{one}/stats", stream="0")).json
        self.assertEqual(found["pids_stats"].get("current", 0), 0)
