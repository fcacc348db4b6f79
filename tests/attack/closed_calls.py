"""closed_calls - calls and arguments that Docker's default allows and the shipped filter does not.

Each row says what is closed, why, what the filter answers, and which programs call it and what they do
with that answer: a closed call is an interface that programs have to live with. The tries of a row are
made inside (scripts/closed_call.py): each must be answered as the row says, and by the kernel itself,
without the filter, otherwise. `make policy-table` writes the rows into policy/README.md.
"""

from dataclasses import dataclass

from attack_row import Attack

ANY = -1  # a descriptor that nobody has: the kernel answers EBADF
BAD = 1  # a pointer to nothing


@dataclass(frozen=True)
class Closed:
    """One decision. A try is "call:argument,argument...=answer"."""

    name: str
    what: str
    why: str
    answer: str
    callers: str
    tries: tuple[str, ...]
    by: str = ""


@dataclass(frozen=True)
class Kept:
    """What stays open, and the program that needs it."""

    what: str
    why: str


CLOSED = (
    Closed(
        "oob",
        "MSG_OOB, in the flags of send, sendto, sendmsg, sendmmsg, recv, recvfrom, recvmsg, recvmmsg",
        "CVE-2024-36972, CVE-2025-38236: urgent data of AF_UNIX, by which a browser's sandbox was left",
        "send: EOPNOTSUPP; receive: EINVAL",
        "ftplib's and Net::FTP's abort() raise OSError, as where the peer has gone. The answers are a socket's "
        "without "
        "urgent data (datagrams), and one's to which none came (TCP)",
        (
            f"sendto:{ANY},0,0,1=EOPNOTSUPP",
            f"sendmsg:{ANY},{BAD},1=EOPNOTSUPP",
            f"sendmmsg:{ANY},{BAD},1,1=EOPNOTSUPP",
            f"recvfrom:{ANY},0,0,1=EINVAL",
            f"recvmsg:{ANY},{BAD},{1 << 32 | 1}=EINVAL",
            f"recvmmsg:{ANY},{BAD},1,1=EINVAL",
        ),
    ),
    Closed(
        "huge",
        "mmap MAP_HUGETLB, memfd_create MFD_HUGETLB, shmget SHM_HUGETLB",
        "pages that an administrator has set aside, which no memory limit of cgroup v1 counts",
        "ENOMEM; memfd_create: EINVAL",
        "OpenJDK (-XX:+UseLargePages), PostgreSQL (huge_pages=try), mimalloc and glibc's malloc "
        "(glibc.malloc.hugetlb=2) "
        "take ordinary pages; numpy asks for transparent ones only, which are counted",
        (
            f"mmap:0,{1 << 21},3,{0x44022},{ANY},0=ENOMEM",
            f"memfd_create:{BAD},4=EINVAL",
        ),
        by="guard",
    ),
    Closed(
        "merge",
        "madvise 12, 13 (MERGEABLE, UNMERGEABLE)",
        "KSM merges pages with those of the whole host, other machines' among them: the time of a write tells what "
        "they hold",
        "EINVAL",
        "QEMU, and libraries that set it for interpreters, go on without: it is what a kernel without KSM says",
        ("madvise:0,0,12=EINVAL", f"madvise:0,0,{1 << 32 | 12}=EINVAL", "madvise:0,0,13=EINVAL"),
    ),
    Closed(
        "reclaim",
        "madvise 20, 21, 24, 25 (COLD, PAGEOUT, DONTNEED_LOCKED, COLLAPSE)",
        "reclaim and collapse on demand: races, and load that others feel",
        "EINVAL",
        "allocators (jemalloc, tcmalloc, Go until 1.21) take it for an older kernel and go on: advice need not be "
        "taken",
        tuple(f"madvise:0,0,{n}=EINVAL" for n in (20, 21, 24, 25)),
    ),
    Closed(
        "pi",
        "futex LOCK_PI, LOCK_PI2, UNLOCK_PI, TRYLOCK_PI, WAIT_REQUEUE_PI, CMP_REQUEUE_PI",
        "CVE-2014-3153, CVE-2021-3347",
        "ENOSYS; LOCK_PI: EOPNOTSUPP",
        "**glibc** asks by UNLOCK_PI: on ENOSYS pthread_mutex_init() answers ENOTSUP for PTHREAD_PRIO_INHERIT, any "
        "other error is "
        "taken for support or ends the program. **musl** asks by LOCK_PI and returns what it hears: PulseAudio, for "
        "one, expects ENOTSUP, "
        "and aborts otherwise",
        (
            "futex:0,6,0,0,0,0=EOPNOTSUPP",
            f"futex:0,{1 << 32 | 6 | 128},0,0,0,0=EOPNOTSUPP",
            *(f"futex:0,{n},0,0,0,0=ENOSYS" for n in (8 | 128, 13 | 128 | 256)),
            f"futex:{BAD},7,0,0,0,0=ENOSYS",
            f"futex:{BAD},11,0,0,{BAD},0=ENOSYS",
            f"futex:{BAD},12,1,0,{BAD},0=ENOSYS",
        ),
    ),
    Closed(
        "cpu_timers",
        "timer_create and clock_nanosleep with clocks of CPU time, and others than 0, 1, 7",
        "CVE-2022-2585, CVE-2025-38352 (exploited); a sleep makes such a timer as well",
        "EINVAL",
        "Go's profiler falls back to setitimer; gperftools and async-profiler say that they cannot and go on or end. "
        "CPython, numpy and libuv sleep and wait by CLOCK_MONOTONIC",
        (
            f"timer_create:2,{BAD},{BAD}=EINVAL",
            f"timer_create:-6,{BAD},{BAD}=EINVAL",
            f"timer_create:{(1 << 32) - 6},{BAD},{BAD}=EINVAL",
            f"timer_create:{1 << 32 | 3},{BAD},{BAD}=EINVAL",
            f"clock_nanosleep:2,0,{BAD},0=EINVAL",
            f"clock_nanosleep:-6,0,{BAD},0=EINVAL",
        ),
    ),
    Closed(
        "tcp_options",
        "setsockopt TCP_MD5SIG, TCP_CONGESTION, TCP_WINDOW_CLAMP, TCP_COOKIE_TRANSACTIONS; TCP Fast Open, "
        "MSG_FASTOPEN too",
        "keys, crypto and modules of the kernel",
        "EPERM; MSG_FASTOPEN: EOPNOTSUPP",
        "unbound, BIND and curl log it and connect as ever; libzmq, libuv, gloo, Open MPI and OpenJDK set none of "
        "them",
        (
            *(f"setsockopt:{ANY},6,{n},{BAD},4=EPERM" for n in (10, 13, 14, 15, 23, 30, 1 << 32 | 14)),
            f"sendto:{ANY},0,0,{0x20000000}=EOPNOTSUPP",
            f"sendmsg:{ANY},{BAD},{0x20000000}=EOPNOTSUPP",
        ),
    ),
    Closed(
        "multicast",
        "setsockopt IP_ADD_MEMBERSHIP, IP_DROP_MEMBERSHIP, IPV6_JOIN_GROUP, IPV6_LEAVE_GROUP",
        "memory that is charged to nobody, igmp, mld; there is only the loopback to hear",
        "EADDRNOTAVAIL",
        "**zeroconf** takes the interface for one without multicast and goes on, as with no other error but "
        "EADDRINUSE and EINVAL; "
        "libuv and OpenJDK hand it to their callers",
        (
            f"setsockopt:{ANY},0,35,{BAD},8=EADDRNOTAVAIL",
            f"setsockopt:{ANY},0,36,{BAD},8=EADDRNOTAVAIL",
            f"setsockopt:{ANY},41,20,{BAD},20=EADDRNOTAVAIL",
            f"setsockopt:{ANY},{1 << 32 | 41},{1 << 32 | 21},{BAD},20=EADDRNOTAVAIL",
        ),
    ),
    Closed(
        "multicast_all",
        "setsockopt IP_MULTICAST_ALL, IPV6_MULTICAST_ALL (as before)",
        "not needed",
        "ENOPROTOOPT",
        "**OpenJDK** sets it on each datagram socket, and throws at any other error: no DatagramSocket and no "
        "look-ups by JNDI "
        "worked when the answer was EPERM",
        (f"setsockopt:{ANY},0,49,{BAD},4=ENOPROTOOPT", f"setsockopt:{ANY},41,29,{BAD},4=ENOPROTOOPT"),
    ),
    Closed(
        "socket_options",
        "setsockopt SO_DEBUG, SO_DONTROUTE, SO_NO_CHECK, SO_BSDCOMPAT",
        "not needed",
        "EPERM",
        "traceroute and ping, which have no network here",
        tuple(f"setsockopt:{ANY},1,{n},{BAD},4=EPERM" for n in (1, 5, 11, 14, 1 << 32 | 1)),
    ),
    Closed(
        "netlink",
        "socket AF_NETLINK (as before)",
        "parsers of the kernel (netfilter, audit, xfrm, generic...), and modules that it loads. Measured on Debian's 6.1 and 6.12: "
        "RTM_GETTFILTER of a shared block, which takes no capability, has the host run `modprobe net-cls-KIND` as root, in no "
        "sandbox's group, by any name of 15 bytes, as often as it is asked (160 times of 160; the kernel bounds only how "
        "many run at once, 50). The other requests tried, RTM_GET* and RTM_NEW*, had nothing run",
        "NETLINK_ROUTE: EOPNOTSUPP; other families: EPROTONOSUPPORT",
        "**libzmq** lists interfaces whenever it binds to tcp://ADDRESS, and aborts unless it hears EOPNOTSUPP or EINVAL: then "
        "it binds, though not by an interface's name. getaddrinfo(), if_nametoindex() and asyncio do without. getifaddrs(), "
        "socket.if_nameindex(), psutil.net_if_addrs(), ifaddr, os.networkInterfaces() of Node and `ip` fail with the error. "
        "EPROTONOSUPPORT is a kernel's answer without the family: **libaudit** (PAM, sudo, dbus) goes on, ss reads /proc/net "
        "instead",
        (
            "socket:16,3,0=EOPNOTSUPP",
            f"socket:{1 << 32 | 16},{3 | 1 << 19},0=EOPNOTSUPP",
            "socket:16,3,2=EPROTONOSUPPORT",
            f"socket:{1 << 32 | 16},{3 | 1 << 19},16=EPROTONOSUPPORT",
        ),
    ),
    Closed(
        "unix_kinds",
        "socket and socketpair AF_UNIX of other kinds than stream, dgram, seqpacket",
        "SOCK_RAW is another name of datagrams",
        "EPERM",
        "nobody",
        ("socket:1,3,0=EPERM", f"socketpair:1,{3 | 1 << 32},0,{BAD}=EPERM", "socket:1,10,0=EPERM"),
    ),
    Closed(
        "membarrier",
        "membarrier GLOBAL, GLOBAL_EXPEDITED and its registration, GET_REGISTRATIONS",
        "waits for, or interrupts, every processor of the host",
        "EINVAL",
        "liburcu, folly, .NET, musl and tcmalloc use the private commands, which are there",
        ("membarrier:1,0,0=EINVAL", "membarrier:4,0,0=EINVAL", f"membarrier:{1 << 32 | 1},0,0=EINVAL"),
    ),
    Closed(
        "fallocate",
        "fallocate with modes other than 0, KEEP_SIZE, PUNCH_HOLE",
        "collapse, insert, zero, unshare: ranges of a volume's file system",
        "EOPNOTSUPP",
        "as on tmpfs and NFS: qemu-img, mkfs and databases write zeroes; glibc's posix_fallocate() uses mode 0",
        tuple(f"fallocate:{ANY},{n},0,1=EOPNOTSUPP" for n in (8, 16, 17, 32, 64, 1 << 32 | 8)),
    ),
    Closed(
        "splice",
        "splice",
        "pipes that hold pages of files (CVE-2022-0847). sendfile to a pipe makes such pipes, too, and stays: see "
        "below",
        "EINVAL",
        "**Go** copies with read and write on EINVAL, and on no other error; so do others (Rust, glib, pv, HAProxy) "
        "on EINVAL. "
        "os.splice() raises OSError; shutil uses sendfile and copy_file_range",
        (f"splice:{ANY},0,{ANY},0,1,0=EINVAL",),
    ),
    Closed(
        "read_ahead",
        "readahead, sync_file_range, fadvise64 WILLNEED and DONTNEED",
        "reads and writes of the disk ahead of anybody's time; pages dropped that neighbours share",
        "0, without effect",
        "PostgreSQL, RocksDB, tar and rsync take advice for taken. On an error of sync_file_range other than ENOSYS "
        "**PostgreSQL** panics",
        (
            f"readahead:{ANY},0,0=0",
            f"sync_file_range:{ANY},0,0,0=0",
            f"fadvise64:{ANY},0,0,3=0",
            f"fadvise64:{ANY},0,0,4=0",
        ),
    ),
    Closed(
        "lock_all",
        "mlockall, munlockall, mlock2",
        "not needed; mlock stays, for keys",
        "EPERM; mlock2: ENOSYS",
        "Elasticsearch and the like warn; glibc's mlock2() calls mlock() for flags of 0",
        ("mlockall:1=EPERM", "munlockall:=EPERM", "mlock2:0,0,0=ENOSYS"),
    ),
    Closed(
        "file_signals",
        "fcntl F_NOTIFY, F_SETSIG, F_SETOWN_EX, and commands that are not in the list",
        "dnotify, signals by files",
        "EINVAL; beyond 1055: EPERM",
        "programs watch by inotify; RocksDB ignores that it may not give hints; F_SETOWN and O_ASYNC stay",
        tuple(f"fcntl:{ANY},{n},0=EINVAL" for n in (10, 15, 1026, 1 << 32 | 1026)),
    ),
    Closed(
        "real_time",
        "sched_setscheduler of FIFO, RR, DEADLINE; sched_rr_get_interval; ioprio_get",
        "priorities",
        "EPERM; sched_rr_get_interval: EINVAL",
        "as the kernel without RLIMIT_RTPRIO. psutil's ionice() raises AccessDenied",
        (
            "sched_setscheduler:0,1,0=EPERM",
            f"sched_setscheduler:0,{1 << 32 | 2},0=EPERM",
            f"sched_rr_get_interval:0,{BAD}=EINVAL",
            "ioprio_get:99,0=EPERM",
        ),
    ),
    Closed(
        "file_ids",
        "setfsuid, setfsgid, setgroups",
        "there is one id inside, and no group",
        "EPERM",
        "file servers, which would have to be root; setgroups without CAP_SETGID is the kernel's own EPERM",
        ("setfsuid:-1=EPERM", "setfsgid:-1=EPERM"),
    ),
)

KEPT = (
    Kept("setitimer ITIMER_VIRTUAL, ITIMER_PROF", "PHP's max_execution_time, gprof, Go's profiler and Python's "
             "samplers. They make no "
         "timer that could be deleted while it fires, which is what the holes were; RLIMIT_CPU, our own limit, is "
         "the same code"),
    Kept("sendfile, also to a pipe", "shutil.copyfile, socket.sendfile, asyncio, nginx; a filter does not see what "
             "a descriptor is"),
    Kept("sched_setscheduler of OTHER, BATCH, IDLE; sched_setparam", "**libzmq** sets in each of its threads the "
             "policy that it has, and "
         "aborts if it may not: every Jupyter kernel. Both are one function of the kernel"),
    Kept("mincore", "OpenJDK on a program's first thread (JPype) looks for the end of its stack; libunwind. Since "
             "Linux 5.2 it tells "
         "nothing of files that the program may not write"),
    Kept("fcntl F_SETPIPE_SZ", "subprocess.Popen(pipesize=). Pages are charged; more than fs.pipe-max-size is "
             "refused, and a user's sum "
         "(fs.pipe-user-pages-soft) is reached by pipes of the usual size as well"),
    Kept("madvise WILLNEED", "pyarrow and databases on mapped files; read(2) reads as much"),
    Kept("membarrier of the caller's own threads, rseq", "liburcu, .NET, tcmalloc"),
    Kept("getcpu", "arm64 has no vDSO for it: libomp, jemalloc"),
    Kept("restart_syscall", "the kernel makes it in a program's name when poll, nanosleep or futex go on after a "
             "stop"),
    Kept("setuid, setreuid, setresuid and those of groups", "**busybox** (before 1.30) sets its own ids at its "
             "start and ends if it cannot; su and nginx of images. "
         "A filter does not know a sandbox's id; the kernel refuses all but that one"),
    Kept("SO_OOBINLINE", "servers (vsftpd) end without it; nothing urgent comes"),
)


def attacks() -> tuple[Attack, ...]:
    """Return each row as an attack: stopped as shipped, and not stopped without the filter."""
    return tuple(
        Attack(
            f"closed_{row.name}",
            row.what,
            "seccomp",
            by=row.by,
            script="closed_call",
            args=row.tries,
            expect=tuple(f"{one.partition('=')[0]}=" for one in row.tries),
        )
        for row in CLOSED
    )


def table() -> str:
    """Return the decisions as tables of Markdown."""
    lines = ["| closed | why | the filter answers | who calls it, and what the caller does then | test |\n"]
    lines += ["|---|---|---|---|---|\n"]
    lines += [
        f"| {row.what} | {row.why} | {row.answer} | {row.callers} | attack: closed_{row.name} |\n" for row in CLOSED
    ]
    lines += ["\n| kept | for whom |\n", "|---|---|\n"]
    lines += [f"| {row.what} | {row.why} |\n" for row in KEPT]
    return "".join(lines)
