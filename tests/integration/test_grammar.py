"""Flags: docker run's grammar, and every wrong or refused one named, without side effects."""

import os

from support.case import Case
from support.run import GLOVEBOX, execute, glovebox, parallel, run

# flag and value, and what the refusal must name
REFUSED = [
    (["--privileged"], "--privileged"),
    (["--network", "host"], "host"),
    (["--network=bridge"], "bridge"),
    (["--net", "host"], "host"),
    (["--network", "container:x"], "container:x"),
    (["--device", "/dev/kvm"], "--device"),
    (["--gpus", "all"], "--gpus"),
    (["-p", "80:80/udp"], "--publish"),
    (["--publish=80:80/sctp"], "--publish"),
    (["--expose", "80"], "--expose"),
    (["--pid", "host"], "--pid"),
    (["--ipc=host"], "--ipc"),
    (["--uts", "host"], "--uts"),
    (["--userns", "host"], "--userns"),
    (["--cgroupns", "host"], "--cgroupns"),
    (["--cgroup-parent", "/x"], "--cgroup-parent"),
    (["--cap-add", "SYS_ADMIN"], "--cap-add"),
    (["--cap-add=ALL"], "--cap-add"),
    (["-d", "--json"], "--detach"),
    (["--detach", "--warm=require"], "--detach"),
    (["--restart", "always"], "--restart"),
    (["--read-only=false"], "--read-only"),
    (["--rm=false"], "--detach"),
    (["--add-host", "a:1.1.1.1"], "--add-host"),
    (["--link", "x"], "--link"),
    (["--runtime", "runsc"], "--runtime"),
    (["--volumes-from", "x"], "--volumes-from"),
    (["--volume-driver", "x"], "--volume-driver"),
    (["--log-driver", "syslog"], "--log-driver"),
    (["--sysctl", "net.ipv4.ip_forward=1"], "--sysctl"),
    (["--security-opt", "apparmor=mine"], "apparmor"),
    (["--security-opt", "label=type:mine"], "label"),
    (["--security-opt", "systempaths=unconfined"], "systempaths"),
    (["--security-opt", "no-new-privileges=false"], "no-new-privileges"),
    (["--security-opt", "nonsense"], "nonsense"),
    (["--oom-kill-disable"], "--oom-kill-disable"),
    (["--group-add", "0"], "--group-add"),
    (["--isolation", "hyperv"], "--isolation"),
    (["-v", "volume/x:/data"], "volume/x"),
    (["-v", "/anonymous"], "/anonymous"),
    (["--mount", "type=volume,src=v,dst=/v"], "too short"),
    (["--mount", "type=npipe,src=v,dst=/v"], "npipe"),
]

# What is so anyway, or changes nothing.
HARMLESS = """
--ipc=private --ipc=none --cgroupns=private --pid= --uts= --restart=no --runtime=runc --sig-proxy -a stdin -a STDOUT
--attach=stderr --log-driver=none --log-opt max-size=10m --memory-swappiness 0 --oom-score-adj 500 --no-healthcheck
--dns 1.1.1.1 --dns-search example --dns-option ndots:1 --add-host host.docker.internal:host-gateway
--security-opt label=disable --security-opt apparmor=docker-default --disable-content-trust --detach-keys ctrl-x
--annotation a=b --cpu-shares=1024 --blkio-weight 0 --kernel-memory 0 --health-interval 5s --isolation default
--volume-driver local --privileged=false --oom-kill-disable=false
""".split()

WRONG = [
    (["--nonsense"], "unknown flag: --nonsense"),
    (["--nonsense=1"], "unknown flag: --nonsense"),
    (["-Z"], "-Z"),
    (["-iZ"], "-iZ"),
    (["--memory"], "--memory"),
    (["--memory", "12x"], "12x"),
    (["--memory", ""], "--memory"),
    (["--memory", "-5m"], "-5m"),
    (["--memory", "1k"], "--memory"),
    (["--memory", "99999999999999999999"], "99999999999999999999"),
    (["--memory", "0x10m"], "0x10m"),
    (["--memory", "64m", "--memory-swap", "32m"], "--memory-swap"),
    (["--memory-swap", "x"], "--memory-swap"),
    (["--cpus", "-1"], "--cpus"),
    (["--cpus", "many"], "many"),
    (["--cpus", "nan"], "nan"),
    (["--cpus", "100000"], "--cpus"),
    (["--cpus", "1", "--cpu-quota", "50000"], "--cpu"),
    (["--cpu-period", "1"], "--cpu-period"),
    (["--cpu-quota", "1"], "--cpu-quota"),
    (["--cpuset-cpus", "a"], "--cpuset-cpus"),
    (["--cpuset-cpus", "5-1"], "--cpuset-cpus"),
    (["--cpuset-cpus", "99999"], "--cpuset-cpus"),
    (["--pids-limit", "x"], "--pids-limit"),
    (["--pids-limit", "-7"], "--pids-limit"),
    (["--pids-limit", "1.5"], "--pids-limit"),
    (["--pids-limit", "1"], "the minimum is 2"),
    (["--timeout", "soon"], "--timeout"),
    (["--timeout", "-1"], "--timeout"),
    (["--timeout", "0"], "--timeout"),
    (["--timeout", "99999999999h"], "--timeout"),
    (["--cpu-time", "x"], "--cpu-time"),
    (["--output-limit", "x"], "--output-limit"),
    (["--output-limit", "-1"], "--output-limit"),
    (["--shm-size", "x"], "--shm-size"),
    (["--ulimit", "nofile"], "--ulimit"),
    (["--ulimit", "nofile=x"], "--ulimit"),
    (["--ulimit", "nofile=20:10"], "--ulimit"),
    (["--ulimit", "nonsense=1"], "nonsense"),
    (["--tmpfs", "relative"], "--tmpfs"),
    (["--tmpfs", "/x:size=x"], "--tmpfs"),
    (["--tmpfs", "/x:mode=9"], "--tmpfs"),
    (["--tmpfs", "/x:nonsense"], "nonsense"),
    (["--tmpfs", "/x:uid=-5"], "--tmpfs"),
    (["--tmpfs", "/x:dev"], "dev"),
    (["--tmpfs", "/x:suid"], "suid"),
    (["--user", "no-such-user"], "no-such-user"),
    (["--user", "1:no-such-group"], "no-such-group"),
    (["--user", "-5"], "-5"),
    (["--user", "99999999999"], "99999999999"),
    (["--workdir", "relative"], "relative"),
    (["--hostname", "-bad-"], "-bad-"),
    (["--hostname", "a" * 65], "--hostname"),
    (["--hostname", "a b"], "a b"),
    (["--name", "a b"], "a b"),
    (["--name", "../x"], "../x"),
    (["--name", "-x"], "-x"),
    (["--env", "=x"], "=x"),
    (["--env", ""], "--env"),
    (["--env-file", "/no/such/file"], "/no/such/file"),
    (["--label-file", "/no/such/file"], "--label-file"),
    (["--stop-signal", "NOPE"], "NOPE"),
    (["--stop-signal", "99"], "99"),
    (["--stop-timeout", "x"], "--stop-timeout"),
    (["--pull", "sometimes"], "sometimes"),
    (["--platform", "linux/riscv64"], "linux/riscv64"),
    (["--platform", "windows/amd64"], "windows/amd64"),
    (["--cap-drop", "NOPE"], "NOPE"),
    (["--rm=maybe"], "maybe"),
    (["--security-opt", "seccomp=/no/such/file"], "/no/such/file"),
    (["--cidfile", "/no/such/folder/id"], "/no/such/folder"),
    (["--result-file", "/no/such/folder/r"], "/no/such/folder"),
    (["--code", "/no/such/file"], "/no/such/file"),
    (["--workspace", "/no/such/folder"], "/no/such/folder"),
    (["--output", "/no/such/folder/x,size=no"], "--output"),
    (["--output", "x,nonsense=1"], "nonsense"),
]


class Refusals(Case):
    """What is refused is named and costs 125."""

    def refuse_all(self, rows: list[tuple[list[str], str]]) -> None:
        """Assert the refusal of each row, run a few at a time."""
        results = parallel(lambda row: run(*row[0], argv=["/bin/true"]), rows)
        for (flags, word), result in zip(rows, results, strict=True):
            with self.subTest(flags=flags):
                self.assert_refused(result, word)

    def test_what_we_do_not_do_is_refused_by_name(self) -> None:
        self.refuse_all(REFUSED)

    def test_wrong_values_name_the_flag_and_the_value(self) -> None:
        self.refuse_all(WRONG)

    def test_what_is_so_anyway_is_accepted(self) -> None:
        self.assert_status(run(*HARMLESS, argv=["/bin/true"]))

    def test_everything_refused_is_named_at_once(self) -> None:
        line = ["--pull=always", "--expose=80", "--gpus", "all", "--add-host", "a:b", "--restart=always"]
        result = self.assert_refused(run(*line, image="no-such-image"))
        for word in ("--pull", "--expose", "--gpus", "--add-host", "--restart", "no-such-image"):
            self.assertIn(word, result.err)

    def test_refusals_say_why(self) -> None:
        for flags, _ in REFUSED:
            with self.subTest(flags=flags):
                self.assertGreater(len(run(*flags, argv=["/bin/true"]).err), 40)

    def test_no_image(self) -> None:
        self.assert_refused(glovebox("run"), "IMAGE")
        self.assert_refused(glovebox("run", "--rm", "--"), "IMAGE")

    def test_unknown_image_says_how_to_get_it(self) -> None:
        result = self.assert_refused(run(image="no-such-image"), "no-such-image")
        self.assertIn("image", result.err.replace("no-such-image", ""))

    def test_bad_image_names(self) -> None:
        for name in (
            "UPPER",
            "a..b/",
            "-x/",
            "/abs",
            "a:b:c",
            "a:",
            "../etc",
            "a b",
            "a" * 300,
            "",
        ):
            with self.subTest(name=name):
                self.assert_refused(run("--", image=name, argv=["/bin/true"]))

    def test_a_refused_request_changes_nothing(self) -> None:
        missing = self.folder / "missing"
        cidfile = self.folder / "cid"
        flags = ["-v", f"{missing}:/x", "--cidfile", cidfile, "--output", f"{self.folder}/out"]
        self.assert_refused(run(*flags, "--pids-limit", "x", argv=["/bin/true"]))
        self.assert_refused(run(*flags, image="no-such-image"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_hostile_bytes_in_values_do_not_reach_the_terminal(self) -> None:
        result = self.assert_refused(run("--memory", "\x1b[2J\nforged"))
        self.assertNotIn(b"\x1b", result.stderr)

    def test_values_that_are_not_utf8(self) -> None:
        args = [GLOVEBOX.encode(), b"run", b"--memory", b"\xff\xfe", b"host", b"/bin/true"]
        self.assert_refused(execute(args))


class DockersOwn(Case):
    """What docker's parsers accept beyond their examples."""

    def test_an_empty_value_is_none(self) -> None:
        names = "hostname user platform cidfile domainname ip mac-address network-alias cgroup-parent label-file"
        result = run(*(f"--{name}=" for name in names.split()), sh="uname -n")
        self.assert_prints("sandbox", result)

    def test_other_spellings(self) -> None:
        flags = ["--mount", f"type=BIND,src={self.subfolder('d')},dst=/d,bind-recursive=enabled"]
        flags += ["--mount", "type=Tmpfs,dst=/t", "--network", "name=none"]
        for name in ("RTMIN+3", "SIGRTMIN", "sigrtmax-14", "rtmax"):
            self.assert_status(run(*flags, "--stop-signal", name, argv=["/bin/true"]))
        for name in ("RTMIN-1", "RTMIN+", "RTMIN+31", "RTMAX+1", "RTMID"):
            self.assert_status(run("--stop-signal", name, argv=["/bin/true"]), 125)

    def test_a_byte_order_mark_in_an_env_file(self) -> None:
        file = self.file("names", b"\xef\xbb\xbfA=1\n")
        self.assert_prints("1", run("--env-file", str(file), sh="echo $A"))


class Grammar(Case):
    """How flags are written."""

    def test_value_after_equals_or_space_or_attached(self) -> None:
        for flags in (["-e", "A=1"], ["-eA=1"], ["--env", "A=1"], ["--env=A=1"], ["-e=A=1"]):
            with self.subTest(flags=flags):
                self.assert_prints("1", run(*flags, sh="echo $A"))

    def test_short_flags_combine(self) -> None:
        self.assert_prints("in", run("-ie", "A=1", argv=["cat"], stdin=b"in"))
        self.assert_prints("1", run("-qieA=1", sh="echo $A"))

    def test_parsing_stops_at_the_image(self) -> None:
        self.assert_prints("-e --rm --nonsense", run(argv=["/bin/echo", "-e --rm --nonsense"]))
        result = run(argv=["/usr/bin/printf", "%s\n", "--memory", "-i", "--", "-x"])
        self.assert_prints("--memory\n-i\n--\n-x", result)

    def test_double_dash_ends_the_flags(self) -> None:
        self.assert_prints("x", run("--rm", "--", argv=["/bin/echo", "x"]))

    def test_booleans_take_values(self) -> None:
        for flag in ("--rm=true", "--rm=1", "--rm", "--init", "--init=false"):
            with self.subTest(flag=flag):
                self.assert_status(run(flag, argv=["/bin/true"]))
        self.assert_prints("", run("-i=false", argv=["cat"], stdin=b"in"))

    def test_a_boolean_does_not_take_the_next_word(self) -> None:
        self.assert_refused(run("--rm", "true", argv=["/bin/true"]), "true")

    def test_later_values_win(self) -> None:
        self.assert_prints("b", run("--hostname", "a", "--hostname", "b", sh="uname -n"))

    def test_every_harmless_flag_is_accepted(self) -> None:
        flags = [
            *("--rm", "--network", "none", "--read-only", "--tmpfs", "/tmp:size=100m"),
            *("-m", "256m", "--memory-swap", "256m", "--cpus", "1.0", "--pids-limit", "32"),
            *("--security-opt", "no-new-privileges", "--security-opt", "no-new-privileges:true"),
            *("--cap-drop", "ALL", "--cap-drop", "net_raw", "--cap-drop=CAP_CHOWN"),
            *("-w", "/tmp", "--init", "--stop-timeout", "1", "--stop-signal", "SIGTERM"),
            *("--stop-signal", "15", "--ulimit", "nofile=64:64", "--shm-size", "8m"),
            *("--hostname", "box", "-l", "a=b", "--label", "c", "--pull", "never", "-q"),
            *("--timeout", "90s", "--cpu-time", "60", "--output-limit", "1m"),
        ]
        self.assert_prints("hi", run(*flags, sh="echo hi"))

    def test_network_none_can_be_written_three_ways(self) -> None:
        for flags in (["--network", "none"], ["--net=none"], ["--network=none"]):
            self.assert_status(run(*flags, argv=["/bin/true"]))

    def test_quota_and_period(self) -> None:
        self.assert_status(run("--cpu-period", "50000", "--cpu-quota", "25000", argv=["/bin/true"]))

    def test_unlimited_on_request(self) -> None:
        self.assert_status(run("--pids-limit", "-1", argv=["/bin/true"]))
        self.assert_status(run("--memory", "64m", "--memory-swap", "64m", argv=["/bin/true"]))

    def test_sizes_in_every_unit(self) -> None:
        for size in ("67108864", "67108864b", "65536k", "64m", "64M", "64mb", "64MiB", "1g"):
            with self.subTest(size=size):
                self.assert_status(run("--memory", size, argv=["/bin/true"]))

    def test_ten_thousand_flags(self) -> None:
        flags = [word for n in range(5000) for word in ("-e", f"VARIABLE_{n}={n}")]
        self.assert_prints("5000", run(*flags, sh="env | grep -c ^VARIABLE_"))
        labels = [word for n in range(5000) for word in ("--label", f"l{n}=x")]
        self.assert_status(run(*labels, argv=["/bin/true"]))

    def test_a_megabyte_of_arguments(self) -> None:
        words = [letter * 100_000 for letter in "abcdefghij"]
        result = run(argv=["/usr/bin/printf", "%s", *words])
        self.assert_status(result)
        self.assertEqual(result.out, "".join(words))

    def test_argument_bytes_are_kept(self) -> None:
        odd = b"\xff\xfe\n\x01 '\"$`\\"
        args = [os.fsencode(GLOVEBOX), b"run", b"host", b"/usr/bin/printf", b"%s", odd, b""]
        self.assertEqual(execute(args).stdout, odd)

    def test_one_argument_over_a_megabyte_is_refused_where_it_is_typed(self) -> None:
        with self.assertRaises(OSError):  # the kernel's own limit: 128 KiB for one argument
            run(argv=["/bin/echo", "x" * 1_000_000])
