"""What the filter closes costs programs nothing: those that ask for it go on, with an answer that they know.

The answers themselves are tried by attacks (tests/attack/closed_calls.py). Here are the callers, as far as a
host has them: libc and CPython, and OpenJDK, node, git and openssl where they are installed.
"""

import os
import shutil
import subprocess
import tempfile
import textwrap
from pathlib import Path

from support.case import Case
from support.run import run

LIBC = """
import ctypes, errno, os, signal, socket, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
def refused(call, *arguments):
    try:
        call(*arguments)
    except OSError as e:
        return errno.errorcode[e.errno]
    return "done"
"""

DATAGRAMS = """
import java.net.*;
public class Datagrams {
    public static void main(String[] words) throws Exception {
        try (DatagramSocket one = new DatagramSocket();
             DatagramSocket other = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"))) {
            System.out.println(one.getLocalPort() > 0 && other.getLocalPort() > 0);
        }
    }
}
"""

NODE = """
const { Worker } = require('worker_threads');
const s = require('dgram').createSocket('udp4');
s.bind(0, '127.0.0.1', () => { s.setMulticastTTL(1); s.close(); });
require('fs').copyFileSync('/etc/passwd', '/tmp/copy');
new Worker('require("worker_threads").parentPort.postMessage(7)', { eval: true }).on('message', m => console.log(m));
"""


class Python(Case):
    """libc and CPython."""

    def check(self, text: str, *want: str) -> None:
        """Run a program, which prints one word a line."""
        result = run(py=LIBC + textwrap.dedent(text))
        self.assert_status(result)
        self.assertEqual(result.out.split(), list(want), result.err)

    def test_libc_says_that_there_are_no_mutexes_with_inheritance(self) -> None:
        self.check(
            """
            attributes, mutex = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
            libc.pthread_mutexattr_init(attributes)
            set = libc.pthread_mutexattr_setprotocol(attributes, 1)
            print(errno.errorcode[set or libc.pthread_mutex_init(mutex, attributes)])
            """,
            "ENOTSUP",
        )

    def test_a_thread_sets_the_policy_that_it_has(self) -> None:
        """libzmq does, in each of its threads, and aborts if it may not."""
        self.check(
            """
            libc.pthread_self.restype = ctypes.c_ulong
            me, policy, priority = ctypes.c_ulong(libc.pthread_self()), ctypes.c_int(), ctypes.c_int()
            print(libc.pthread_getschedparam(me, ctypes.byref(policy), ctypes.byref(priority)))
            print(libc.pthread_setschedparam(me, policy, ctypes.byref(priority)))
            print(errno.errorcode[libc.pthread_setschedparam(me, os.SCHED_FIFO, ctypes.byref(ctypes.c_int(1)))])
            """,
            "0", "0", "EPERM",
        )

    def test_copies_are_made_without_splice(self) -> None:
        self.check(
            """
            import shutil
            ends = os.pipe()
            source = os.open("/etc/passwd", os.O_RDONLY)
            print(refused(os.splice, source, ends[1], 10) if hasattr(os, "splice") else "EINVAL")
            shutil.copyfile("/etc/passwd", "/tmp/copy")
            print(os.path.getsize("/tmp/copy") == os.path.getsize("/etc/passwd"))
            """,
            "EINVAL", "True",
        )

    def test_advice_is_taken_for_taken(self) -> None:
        self.check(
            """
            fd = os.open("/tmp/file", os.O_RDWR | os.O_CREAT)
            os.posix_fallocate(fd, 0, 1 << 20)
            for advice in (os.POSIX_FADV_WILLNEED, os.POSIX_FADV_SEQUENTIAL, os.POSIX_FADV_DONTNEED):
                os.posix_fadvise(fd, 0, 0, advice)
            print(os.fstat(fd).st_size, libc.sync_file_range(fd, 0, 0, 2))
            """,
            "1048576", "0",
        )

    def test_nothing_urgent_is_sent_and_no_group_joined(self) -> None:
        self.check(
            """
            here, there = socket.socketpair()
            print(refused(here.send, b"x", socket.MSG_OOB) in ("ENOTSUP", "EOPNOTSUPP"))
            print(refused(there.recv, 1, socket.MSG_OOB))
            udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
            group = socket.inet_aton("224.0.0.251") + socket.inet_aton("127.0.0.1")
            print(refused(udp.setsockopt, socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group))
            """,
            "True", "EINVAL", "EADDRNOTAVAIL",
        )

    def test_samplers_have_their_timer(self) -> None:
        self.check(
            """
            signal.signal(signal.SIGPROF, lambda *_: print("sampled") or sys.exit(0))
            signal.setitimer(signal.ITIMER_PROF, 0.01)
            while True:
                pass
            """,
            "sampled",
        )

    def test_own_ids_may_be_set_again(self) -> None:
        self.check("os.setgid(os.getgid()); os.setuid(os.getuid()); print(refused(os.setuid, 4711))", "EINVAL")

    def test_processes_threads_and_pipes(self) -> None:
        self.check(
            """
            import asyncio, multiprocessing, sqlite3, concurrent.futures as futures
            arguments = {"pipesize": 8192} if sys.version_info >= (3, 10) else {}
            print(subprocess.run(["/bin/echo", "piped"], stdout=subprocess.PIPE, **arguments).stdout.decode())
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(sum(pool.map(abs, range(-3, 3))))
            with futures.ThreadPoolExecutor(4) as threads:
                print(sum(threads.map(abs, range(4))))
            async def main():
                server = await asyncio.start_server(lambda r, w: w.close(), "127.0.0.1", 0)
                reader, _ = await asyncio.open_connection(*server.sockets[0].getsockname())
                print(len(await reader.read()))
            asyncio.run(main())
            print(sqlite3.connect("/tmp/db").execute("pragma journal_mode=wal").fetchone()[0])
            """,
            "piped", "9", "6", "0", "wal",
        )

    def test_malloc_takes_ordinary_pages_for_huge_ones(self) -> None:
        result = run("-e", "GLIBC_TUNABLES=glibc.malloc.hugetlb=2", py="print(len(bytearray(40 << 20)))")
        self.assert_status(result)
        self.assertEqual(result.out.strip(), str(40 << 20))


class Interfaces(Case):
    """What lists interfaces hears that there is no such list; what needs one interface finds it."""

    def test_no_list(self) -> None:
        """libzmq, which lists them when it binds, aborts on any other error but EINVAL."""
        program = LIBC + "import socket\nprint(refused(socket.if_nameindex), socket.if_nametoindex('lo'))"
        self.assertIn(run(py=program).out.strip(), ("EOPNOTSUPP 1", "ENOTSUP 1"))

    def test_getifaddrs(self) -> None:
        program = "import ctypes, errno; c = ctypes.CDLL(None, use_errno=True)\n"
        program += "print(c.getifaddrs(ctypes.byref(ctypes.c_void_p())), errno.errorcode[ctypes.get_errno()])"
        self.assertIn(run(py=program).out.strip(), ("-1 EOPNOTSUPP", "-1 ENOTSUP"))

    def test_other_families_of_netlink_are_not_there(self) -> None:
        result = run(
            py=LIBC + "print({refused(socket.socket, 16, kind, n) for n in range(1, 32) for kind in (2, 3)})"
        )
        self.assertEqual(result.out.strip(), "{'EPROTONOSUPPORT'}")

    def test_an_interface_has_no_driver_to_ask(self) -> None:
        """psutil.net_if_stats() asks by SIOCETHTOOL, and accepts EOPNOTSUPP and EINVAL."""
        result = run(
            py=LIBC + "import fcntl\nprint(refused(fcntl.ioctl, socket.socket(), 0x8946, bytearray(64)))"
        )
        self.assertIn(result.out.strip(), ("EOPNOTSUPP", "ENOTSUP"))


class Others(Case):
    """Programs that a host may have."""

    def test_node_listens_without_a_list_of_interfaces(self) -> None:
        script = "try { require('os').networkInterfaces() } catch (e) { console.log(e.code) }; "
        script += "require('net').createServer().listen(0, () => { console.log('listens'); process.exit() })"
        self.check("node", f'node -e "{script}"', "ERR_SYSTEM_ERROR\nlistens")

    def check(self, program: str, script: str, want: str, *flags: str) -> None:
        """Run a script of the shell that uses a program."""
        if not (shutil.which(program) or "").startswith("/usr/"):
            self.skipTest(f"cannot: no {program} here")
        result = run("--memory", "1g", "--pids-limit", "200", *flags, sh=script)
        self.assert_status(result)
        self.assertIn(want, result.out, result.err)

    def test_openjdk_has_datagrams(self) -> None:
        """It throws at most answers to an option that it sets, IPV6_MULTICAST_ALL."""
        if not shutil.which("javac"):
            self.skipTest("cannot: no javac here")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            source = Path(folder, "Datagrams.java")
            source.write_text(DATAGRAMS)
            subprocess.run(["javac", "-d", folder, str(source)], check=True, capture_output=True)
            self.check("java", "java -XX:+UseLargePages -cp /code Datagrams", "true", "-v", f"{folder}:/code:ro")

    def test_node(self) -> None:
        self.check("node", f"cat > /tmp/n.js <<'EOF'\n{NODE}\nEOF\nnode /tmp/n.js", "7")

    def test_git(self) -> None:
        commit = "git -c user.name=n -c user.email=e commit -q --allow-empty -m first"
        self.check("git", f"cd /tmp && git init -q r && cd r && {commit} && git gc -q && git log --format=%s", "first")

    def test_openssl(self) -> None:
        self.check("openssl", "openssl genpkey -algorithm ed25519 | openssl pkey -text -noout", "ED25519")
