/*
 * walls - check what separates a program from the host: namespaces, the root, the network, its
 * rights.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <linux/utsname.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/un.h>

#include "inside/sys.h"
#include "probe/probe.h"

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_restrict_self  446
#endif
#define LANDLOCK_REFER  (1ul << 13)
#define MOST_LAYERS     20

#define PIECE           65536
#define DIRECTORY_BYTES 4096
#define LOOPBACK        0x7f000001u
#define DISCARD         9 /* a port */

/* The layout of getdents64(2). */
struct entry {
	unsigned long long inode;
	long long offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

static const char *const namespaces[][3] = {
	{"user",   "/proc/self/ns/user",   "user-ns"  },
        {"mnt",    "/proc/self/ns/mnt",    "mount-ns" },
	{"pid",    "/proc/self/ns/pid",    "pid-ns"   },
        {"net",    "/proc/self/ns/net",    "net-ns"   },
	{"ipc",    "/proc/self/ns/ipc",    "ipc-ns"   },
        {"uts",    "/proc/self/ns/uts",    "uts-ns"   },
	{"cgroup", "/proc/self/ns/cgroup", "cgroup-ns"},
};

#define NAMESPACES (sizeof(namespaces) / sizeof(namespaces[0]))

static long walls_read_namespace(size_t i, char link[64])
{
	long n = sys4(__NR_readlinkat, AT_FDCWD, namespaces[i][1], link, 63);

	link[n > 0 ? n : 0] = '\0';
	return n;
}

void walls_tell_namespaces(void)
{
	char link[64];

	for (size_t i = 0; i < NAMESPACES; i++) {
		walls_read_namespace(i, link);
		sys_write(1, namespaces[i][0], sys_strlen(namespaces[i][0]));
		sys_write(1, "=", 1);
		sys_write(1, link, sys_strlen(link));
		sys_write(1, "\n", 1);
	}
}

void walls_compare_namespaces(void)
{
	for (size_t i = 0; i < NAMESPACES; i++) {
		const char *outside = probe_option(namespaces[i][0]);
		char link[64];
		long n = walls_read_namespace(i, link);

		if (outside)
			probe_say(namespaces[i][2], "it is its own",
				  n > 0 && !probe_same(link, outside), n > 0 ? link : "unreadable",
				  PROBE_NO_NUMBER);
	}
	probe_say("pid-ns", "the parent is pid 1", sys0(__NR_getppid) == 1, "parent",
		  sys0(__NR_getppid));
}

/* "inside outside count", in columns. */
static void walls_id_map(void)
{
	char map[256];
	const char *at = map;
	long numbers[3] = {0};

	probe_read("/proc/self/uid_map", map, sizeof(map));
	for (int i = 0; i < 3; i++) {
		while (*at == ' ')
			at++;
		numbers[i] = probe_digits(&at);
	}
	probe_say("user-ns", "the host's root is not mapped", numbers[1] != 0 && numbers[2] == 1,
		  "uid outside:", numbers[1]);
	probe_say("user-ns", "one id is mapped", numbers[2] == 1 && at[0] == '\n' && !at[1],
		  "ids:", numbers[2]);
}

static void walls_names(void)
{
	struct new_utsname names = {0};

	sys1(__NR_uname, &names);
	probe_say("hostname", "the name that was asked for",
		  probe_same(names.nodename, probe_option("hostname")), names.nodename,
		  PROBE_NO_NUMBER);
	probe_say("hostname", "no domain name", probe_same(names.domainname, "(none)"),
		  names.domainname, PROBE_NO_NUMBER);
}

static long walls_connect(const void *address, unsigned length)
{
	unsigned short family = *(const unsigned short *)address;
	long fd = sys3(__NR_socket, family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	long n = fd < 0 ? fd : sys3(__NR_connect, fd, address, length);

	if (fd >= 0)
		sys_close((int)fd);
	return n;
}

static void walls_network(void)
{
	struct sockaddr_in here = {.sin_family = AF_INET,
				   .sin_port =
					   __builtin_bswap16((unsigned short)probe_number("tcp")),
				   .sin_addr.s_addr = __builtin_bswap32(LOOPBACK)};
	struct sockaddr_un named = {.sun_family = AF_UNIX};
	const char *name = probe_option("abstract");
	long fd = sys3(__NR_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	unsigned length = 0;

	for (; name[length]; length++)
		named.sun_path[1 + length] = name[length];
	probe_must_fail("net-ns", "a listener on the host's loopback is not reached",
			walls_connect(&here, sizeof(here)));
	probe_must_fail("net-ns", "an abstract socket of the host's is not reached",
			walls_connect(&named, (unsigned)offsetof(struct sockaddr_un, sun_path) + 1 +
						      length));
	here.sin_port = __builtin_bswap16(DISCARD);
	fd = sys6(__NR_sendto, fd, "x", 1, 0, &here, sizeof(here));
	probe_say("loopback", "the sandbox's own is up", fd == 1,
		  fd < 0 ? "errno" : "sent:", fd < 0 ? -fd : fd);
}

static void walls_hidden(const char *layer, const char *what, const char *path)
{
	probe_must_fail(layer, what, sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
}

static void walls_empty(const char *path, const char *what)
{
	char text[512];
	long n = probe_read(path, text, sizeof(text));

	probe_say("hide-mounts", what, n <= 0, "bytes:", n);
}

static void walls_proc(void)
{
	char groups[1024];
	bool hidden = true;

	walls_hidden("hidepid", "pid 1 is not in /proc", "/proc/1/status");
	walls_hidden("proc-subset", "no /proc/version", "/proc/version");
	walls_hidden("proc-subset", "no /proc/sys", "/proc/sys");
	walls_empty("/proc/self/mountinfo", "/proc/self/mountinfo is empty");
	walls_empty("/proc/self/mounts", "/proc/self/mounts is empty");
	probe_read("/proc/self/cgroup", groups, sizeof(groups));
	for (const char *c = groups; *c; c++)
		hidden &= !probe_begins(c, "glovebox");
	probe_say("cgroup-ns", "no path of the host's groups in /proc/self/cgroup", hidden,
		  hidden ? "none" : "there is one", PROBE_NO_NUMBER);
}

/* The flags of statfs(2): ST_RDONLY and others. */
enum { FLAG_READ_ONLY = 1, FLAG_NO_SUID = 2, FLAG_NO_DEV = 4, FLAG_NO_EXEC = 8 };

static void walls_mount(const char *path, long wanted)
{
	static const struct {
		long flag;
		const char *layer, *what;
	} flags[] = {
		{FLAG_READ_ONLY, "ro-root", "read-only: "  },
		{FLAG_NO_SUID,   "nosuid",  "no set-uid: " },
		{FLAG_NO_DEV,    "nodev",   "no devices: " },
		{FLAG_NO_EXEC,   "noexec",  "no programs: "},
	};
	struct statfs fs = {0};
	long n = sys2(__NR_statfs, path, &fs);

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (wanted & flags[i].flag)
			probe_say(flags[i].layer, path, n == 0 && (fs.f_flags & flags[i].flag),
				  n ? "errno" : "flags", n ? -n : (long)(fs.f_flags & 15));
	}
}

/* A root stacked on this one would be its parent; Landlock does not refuse to look. */
static void walls_behind(void)
{
	struct statx here = {0};
	struct statx behind = {0};
	long n = sys5(__NR_statx, AT_FDCWD, "/", 0, STATX_INO, &here);

	if (n == 0)
		n = sys5(__NR_statx, AT_FDCWD, "/..", 0, STATX_INO, &behind);
	probe_say("root", "nothing is behind it",
		  n == 0 && here.stx_ino == behind.stx_ino &&
			  here.stx_dev_major == behind.stx_dev_major &&
			  here.stx_dev_minor == behind.stx_dev_minor,
		  n ? "errno" : "inode of its parent", n ? -n : (long)behind.stx_ino);
}

static bool walls_is_one_of(const char *name, const char *const *names)
{
	while (*names && !probe_same(name, *names))
		names++;
	return *names != NULL;
}

/* How many entries of a directory are not among the names; or a negative errno. */
static long walls_count_others(const char *path, const char *const *names)
{
	static char entries[DIRECTORY_BYTES] __attribute__((aligned(8)));
	long fd = sys_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	long count = 0;
	long n = fd;

	while (n >= 0 && (n = sys3(__NR_getdents64, fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *entry = (const struct entry *)&entries[at];

			at += entry->length;
			count += !probe_same(entry->name, ".") && !probe_same(entry->name, "..") &&
				 !walls_is_one_of(entry->name, names);
		}
	}
	if (fd >= 0)
		sys_close((int)fd);
	return n < 0 ? n : count;
}

/* An image may lack the directory, which is as good. */
static void walls_listing(const char *path, const char *const *names)
{
	long count = walls_count_others(path, names);

	probe_say("root", path, count == 0 || count == -ENOENT,
		  count < 0 ? "errno" : "what does not belong there:", count < 0 ? -count : count);
}

static void walls_root(void)
{
	static const char *const limits[] = {"devices", "fs", "proc", NULL};
	static const char *const devices[] = {"null", "zero", "full",  "random", "urandom",
					      "tty",  "fd",   "stdin", "stdout", "stderr",
					      "shm",  "pts",  "ptmx",  NULL};
	static const char *const no_terminal[] = {"ptmx", NULL};
	struct statfs fs;
	char path[256];
	long n;

	walls_hidden("root", "a file of the host is not there", probe_option("secret"));
	walls_hidden("root", "nor in the caller's directory", "secret");
	walls_behind();
	walls_listing("/sys", limits);
	walls_listing("/dev", devices);
	walls_listing("/dev/pts", no_terminal);
	n = sys2(__NR_getcwd, path, sizeof(path));
	probe_say("workdir", "the directory that was asked for",
		  n > 0 && probe_same(path, probe_option("workdir")), n > 0 ? path : "none",
		  PROBE_NO_NUMBER);
	probe_must_fail("ro-root", "no directory can be made in /",
			sys3(__NR_mkdirat, AT_FDCWD, "/selftest-made", 0755));
	probe_must_fail("ro-root", "no directory can be made in /usr",
			sys3(__NR_mkdirat, AT_FDCWD, "/usr/selftest-made", 0755));
	walls_mount("/", FLAG_READ_ONLY | FLAG_NO_SUID | FLAG_NO_DEV);
	if (sys2(__NR_statfs, "/usr", &fs) != -ENOENT) /* an image may have no /usr */
		walls_mount("/usr", FLAG_READ_ONLY | FLAG_NO_SUID | FLAG_NO_DEV);
	walls_mount("/dev", FLAG_READ_ONLY | FLAG_NO_SUID);
	walls_mount("/sys", FLAG_READ_ONLY | FLAG_NO_SUID | FLAG_NO_DEV);
	walls_mount("/proc", FLAG_NO_SUID | FLAG_NO_DEV | FLAG_NO_EXEC);
	walls_mount("/tmp", FLAG_NO_SUID | FLAG_NO_DEV | FLAG_NO_EXEC);
	walls_mount("/dev/shm", FLAG_NO_SUID | FLAG_NO_DEV | FLAG_NO_EXEC);
	walls_mount("/selftest-probe", FLAG_READ_ONLY | FLAG_NO_SUID | FLAG_NO_DEV);
}

/* /tmp has a mebibyte and 16 inodes here. */
static void walls_tmpfs(void)
{
	static char bytes[PIECE];
	char name[] = "/tmp/a";
	long fd = sys_openat(AT_FDCWD, "/tmp/full", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	long files = 0;
	long size = 0;
	long n = fd;

	for (int i = 0; i < 64 && n >= 0; i++) {
		n = sys_write((int)fd, bytes, sizeof(bytes));
		size += n > 0 ? n : 0;
	}
	probe_say("tmpfs", "/tmp takes no more than its size", fd >= 0 && size <= 1 << 20,
		  "bytes:", size);
	sys_close((int)fd);
	sys3(__NR_unlinkat, AT_FDCWD, "/tmp/full", 0);
	for (n = 0; files < 50 && n >= 0; files++) {
		name[5] = (char)('A' + files);
		n = sys_openat(AT_FDCWD, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (n >= 0)
			sys_close((int)n);
	}
	probe_say("tmpfs", "nor more files than it may hold", files <= 16, "files:", files);
}

/* How many more rulesets this process may add: 16 in all (landlock(7)). */
static long walls_count_layers(long unused)
{
	const unsigned long handled = LANDLOCK_REFER;
	long ruleset = sys3(__NR_landlock_create_ruleset, &handled, sizeof(handled), 0);
	long count = 0;

	(void)unused;
	while (ruleset >= 0 && count < MOST_LAYERS &&
	       sys2(__NR_landlock_restrict_self, ruleset, 0) == 0)
		count++;
	return count;
}

static void walls_landlock(void)
{
	long status;

	if (!probe_option("landlock"))
		return;
	probe_must_fail("landlock", "a file of /proc cannot be written to",
			sys_openat(AT_FDCWD, "/proc/self/comm", O_WRONLY | O_CLOEXEC, 0));
	if (!probe_option("bare"))
		return;
	status = probe_in_child(walls_count_layers, 0);
	probe_say("landlock", "a ruleset is in force", status >= 0 && status >> 8 < 16,
		  "others that could be added:", status >> 8);
}

/* Run as uid 0 of the sandbox, and without the filter: only the missing rights stop it. */
static void walls_rights(void)
{
	if (!probe_option("bare"))
		return;
	probe_must_fail("caps", "mounting", sys_mount("tmpfs", "/tmp", "tmpfs", 0, NULL));
	probe_must_fail("caps", "chroot", sys1(__NR_chroot, "/tmp"));
	probe_must_fail("caps", "changing the host name", sys2(__NR_sethostname, "x", 1));
	probe_must_fail("caps", "making a device node",
			sys4(__NR_mknodat, AT_FDCWD, "/tmp/node", 0020666, 0x103));
	probe_must_fail("caps", "a raw socket", sys3(__NR_socket, AF_INET, SOCK_RAW, 1));
	probe_must_fail("hide-mounts", "making a user namespace",
			sys1(__NR_unshare, CLONE_NEWUSER));
}

void walls_check(void)
{
	walls_compare_namespaces();
	walls_id_map();
	walls_names();
	walls_network();
	walls_proc();
	walls_root();
	walls_landlock();
	walls_rights();
	walls_tmpfs();
}
