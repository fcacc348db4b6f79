/*
 * test_namespaces - every reason for which the kernel makes no namespaces is named.
 *
 * Each case is a process that brings about the situation in a user namespace of its own, and asks.
 * Where this user can have no user namespace, nothing can be simulated and the cases are skipped.
 */
#include "unit.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "namespace/chrooted.h"
#include "namespace/namespaces.h"

#define CANNOT  77
#define WHAT    "do it"
#define KERNEL  "/proc/sys/kernel"
#define MAXIMUM "/proc/sys/user/max_%s_namespaces"

static char directory[300]; /* exists, empty */

/* -- what a process of a case does to itself ------------------------------------------------ */

/* No failure of the test: this machine or user cannot produce the case. */
#define need(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			_exit(CANNOT);                                                             \
	} while (0)

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return good;
}

static void map_ids(unsigned uid, unsigned gid)
{
	char line[64];

	need(put("/proc/self/setgroups", "deny"));
	snprintf(line, sizeof(line), "0 %u 1", gid);
	need(put("/proc/self/gid_map", line));
	snprintf(line, sizeof(line), "0 %u 1", uid);
	need(put("/proc/self/uid_map", line));
}

/* Root of a user and a mount namespace of our own. */
static void enter(void)
{
	unsigned uid = geteuid();
	unsigned gid = getegid();

	need(!unshare(CLONE_NEWUSER | CLONE_NEWNS));
	map_ids(uid, gid);
	need(!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {0};

	need(!syscall(SYS_capset, &header, none));
}

static void limit(const char *kind, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), MAXIMUM, kind);
	need(put(path, value));
}

static void fake_sysctl(const char *path)
{
	enter();
	need(!mount("none", KERNEL, "tmpfs", 0, NULL));
	need(put(path, path[strlen(KERNEL "/")] == 'a' ? "1\n" : "0\n"));
	drop_capabilities();
}

/* clone3(2) gets this errno. */
static void filter(unsigned number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | number),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {COUNT(code), code};

	need(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	need(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

/* -- the cases ------------------------------------------------------------------------------ */

static void in_a_directory(void)
{
	enter();
	need(!chroot(directory) && !chdir("/"));
}

static void in_a_mount(void)
{
	enter();
	need(!mount(directory, directory, NULL, MS_BIND, NULL));
	need(!chroot(directory) && !chdir("/"));
}

/* For an ordinary user, who cannot enter the namespace: its pid namespace's init is not in it. */
static void in_a_mount_without_rights(void)
{
	unsigned uid = geteuid();
	unsigned gid = getegid();
	char proc[320];
	int status = 0;

	need(!unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID));
	map_ids(uid, gid);
	for (int init = 1; init >= 0; init--) {
		pid_t pid = fork();

		if (pid) {
			waitpid(pid, &status, 0);
			_exit(WEXITSTATUS(status));
		}
		if (!init)
			break;
		snprintf(proc, sizeof(proc), "%s/proc", directory);
		need(!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
		need(!mount(directory, directory, NULL, MS_BIND, NULL));
		need(!mkdir(proc, 0755) || errno == EEXIST);
		need(!mount("proc", proc, "proc", 0, NULL));
	}
	need(!chroot(directory) && !chdir("/"));
	drop_capabilities();
}

static void unmapped(void)
{
	need(!unshare(CLONE_NEWUSER));
}

static void without_rights(void)
{
	enter();
	drop_capabilities();
}

static void debians_switch(void)
{
	fake_sysctl(KERNEL "/unprivileged_userns_clone");
}

static void apparmors_switch(void)
{
	fake_sysctl(KERNEL "/apparmor_restrict_unprivileged_userns");
}

static void filtered(void)
{
	filter(EPERM);
}

/* Docker's filter answers so, to make the C library fall back to clone(2). */
static void filtered_as_missing(void)
{
	filter(ENOSYS);
}

static void one_is_all(void)
{
	enter();
	limit("uts", "1");
	need(!unshare(CLONE_NEWUTS));
}

static void too_deep(void)
{
	int depth = 0;

	enter();
	while (!unshare(CLONE_NEWUSER) && depth++ < 40)
		map_ids(0, 0);
	need(depth < 40);
}

static void kernel_without(void)
{
	enter();
	need(!mount("none", "/proc/self/ns", "tmpfs", 0, NULL));
}

static void selinux(void)
{
	enter();
	need(!mount("none", "/sys/fs", "tmpfs", 0, NULL));
	need(!mkdir("/sys/fs/selinux", 0755));
	need(put("/sys/fs/selinux/enforce", "1"));
}

static void profile(void)
{
	char path[320];

	enter();
	snprintf(path, sizeof(path), "%s/profile", directory);
	need(put(path, "docker-default (enforce)\n"));
	need(!mount(path, "/proc/self/attr/current", NULL, MS_BIND, NULL));
}

/* A root as confine_hide_mounts() leaves it. */
static void in_a_sandbox(void)
{
	int fd;

	enter();
	fd = (int)syscall(SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE | AT_RECURSIVE);
	need(fd >= 0 && !fchdir(fd) && !chroot("."));
}

static void nothing(void)
{
}

static const struct situation {
	const char *name;
	void (*enter)(void);
	uint64_t kinds;
	int number; /* 0: whatever the kernel answers */
	enum err_kind kind;
	const char *says;
} situations[] = {
	{"chroot",             in_a_directory,            CLONE_NEWUSER,                0,      ERR_UNSUPPORTED,
	 "@namespaces_cause_is_chroot"													 },
	{"chroot, a mount",    in_a_mount,                CLONE_NEWUSER,                0,      ERR_UNSUPPORTED, "pivot_root(8)"               },
	{"chroot, no rights",  in_a_mount_without_rights, CLONE_NEWUSER,                0,      ERR_UNSUPPORTED,
	 "systemd-nspawn"														      },
	{"unmapped",           unmapped,                  CLONE_NEWUSER,                0,      ERR_UNSUPPORTED, "@namespaces_cause_is_nobody" },
	{"Debian's",           debians_switch,            CLONE_NEWUSER,                EPERM,  ERR_UNSUPPORTED,
	 "\"sysctl -w kernel.unprivileged_userns_clone=1\""										    },
	{"AppArmor's",         apparmors_switch,          CLONE_NEWUSER,                EACCES, ERR_UNSUPPORTED,
	 "\"sysctl -w kernel.apparmor_restrict_unprivileged_userns=0\""									},
	{"SELinux's",          selinux,                   CLONE_NEWUSER,                EACCES, ERR_UNSUPPORTED, "ausearch -m avc"             },
	{"rights",             without_rights,            CLONE_NEWNS,                  0,      ERR_UNSUPPORTED,
	 "@namespaces_cause_is_powerless CAP_SYS_ADMIN"											},
	{"filter",             filtered,                  CLONE_NEWUSER,                0,      ERR_UNSUPPORTED, "@namespaces_cause_is_filter" },
	{"filter, ENOSYS",     filtered_as_missing,       CLONE_NEWUSER,                0,      ERR_UNSUPPORTED,
	 "@namespaces_cause_is_filter"													 },
	{"reached",            one_is_all,                CLONE_NEWUSER | CLONE_NEWUTS, 0,      ERR_UNSUPPORTED,
	 "@namespaces_cause_describe_limit#more user.max_uts_namespaces ... (1"                                                                },
	{"nested",             too_deep,                  CLONE_NEWUSER,                0,      ERR_UNSUPPORTED,
	 "@namespaces_cause_describe_limit#more 32"											    },
	{"a container's",      profile,                   CLONE_NEWUSER,                EACCES, ERR_UNSUPPORTED,
	 "@namespaces_cause_is_profile docker-default"											 },
	{"a sandbox",          in_a_sandbox,              CLONE_NEWUSER,                0,      ERR_UNSUPPORTED,
	 "@namespaces_cause_is_in_sandbox#kernel"											      },
	{"none",               kernel_without,            CLONE_NEWUSER,                EINVAL, ERR_UNSUPPORTED,
	 "@namespaces_cause_is_without user"												   },
	{"old",		nothing,                   CLONE_NEWUSER,                ENOSYS, ERR_UNSUPPORTED,
	 "@namespaces_check_kernel#Linux 5.12"												 },
	{"another",            nothing,                   CLONE_NEWUSER,                EPERM,  ERR_UNSUPPORTED, "@namespaces_cause_is_unknown"},
	{"too many processes", nothing,                   CLONE_NEWUSER,                EAGAIN, ERR_SYSTEM,      WHAT                          },
	{"no memory",          nothing,                   CLONE_NEWUSER,                ENOMEM, ERR_SYSTEM,      WHAT                          },
};

/* -- asking ---------------------------------------------------------------------------------- */

static _Noreturn void send_error(int fd, const struct err *e)
{
	_exit(write(fd, e, sizeof(*e)) == (ssize_t)sizeof(*e) ? 0 : 1);
}

/* Returns what the process of a case reports; false: the case cannot be produced here. */
static bool ask(void (*play)(int fd, const void *what), const void *what, struct err *out)
{
	int status = 0;
	int ends[2];
	pid_t pid;
	ssize_t n;

	needs_no_valgrind("clone3(2) is missing");
	*out = (struct err){0};
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0)
		play(ends[1], what);
	close(ends[1]);
	n = read(ends[0], out, sizeof(*out));
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		return false;
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(n, sizeof(*out));
	return true;
}

static void play_situation(int fd, const void *what)
{
	const struct situation *s = what;
	struct err e = {0};

	s->enter();
	errno = 0;
	if (s->number || namespaces_try(s->kinds)) {
		errno = s->number ? s->number : errno;
		namespaces_refused(s->kinds, WHAT, &e);
	}
	send_error(fd, &e);
}

static void test_each_cause_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(situations); i++) {
		const struct situation *s = &situations[i];
		struct err e;

		if (!ask(play_situation, s, &e)) {
			printf("cannot: %s\n", s->name);
			continue;
		}
		if (e.kind != s->kind || !message_is(e.text, s->says) ||
		    strncmp(e.text, WHAT, 5) != 0)
			fail_msg("%s: kind %d: %s", s->name, e.kind, e.text);
		if (s->kind == ERR_SYSTEM)
			assert_int_equal(e.number, s->number);
	}
}

static const struct {
	const char *name;
	uint64_t flag;
} kinds[] = {
	{"user",   CLONE_NEWUSER  },
        {"mnt",    CLONE_NEWNS    },
        {"pid",    CLONE_NEWPID   },
	{"ipc",    CLONE_NEWIPC   },
        {"uts",    CLONE_NEWUTS   },
        {"net",    CLONE_NEWNET   },
	{"cgroup", CLONE_NEWCGROUP},
};

static void play_limit(int fd, const void *what)
{
	const size_t i = *(const size_t *)what;
	struct err e = {0};

	enter();
	limit(kinds[i].name, "0");
	if (namespaces_try(CLONE_NEWUSER | kinds[i].flag))
		namespaces_refused(CLONE_NEWUSER | kinds[i].flag, WHAT, &e);
	send_error(fd, &e);
}

static void test_each_limit_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		char says[100];
		struct err e;

		snprintf(says, sizeof(says),
			 "@namespaces_cause_describe_limit#root user.max_%s_namespaces ... 0",
			 kinds[i].name);
		if (ask(play_limit, &i, &e) && !message_is(e.text, says))
			fail_msg("%s: %s", kinds[i].name, e.text);
	}
}

static void play_step(int fd, const void *what)
{
	struct err e = {.kind = ERR_SYSTEM,
			.number = ENOSPC,
			.namespaces = CLONE_NEWUSER | CLONE_NEWNET,
			.text = "unshare the network namespace"};

	(void)what;
	enter();
	limit("net", "0");
	namespaces_explain(&e);
	send_error(fd, &e);
}

static void test_a_step_behind_the_boundary_is_explained(void **state)
{
	struct err other = {.kind = ERR_SYSTEM, .number = ENOSPC, .text = "mount /tmp"};
	struct err e;

	(void)state;
	if (ask(play_step, NULL, &e) &&
	    !message_is(e.text,
			"@namespaces_cause_describe_limit#root user.max_net_namespaces ... 0"))
		fail_msg("%s", e.text);
	namespaces_explain(&other);
	assert_string_equal(other.text, "mount /tmp");
	assert_int_equal(other.number, ENOSPC);
}

/* What was refused is a field of the error; its text is for people, whatever it says. */
static void test_a_process_that_is_refused_is_explained(void **state)
{
	struct err refused = {
		.kind = ERR_SYSTEM, .number = EAGAIN, .no_process = true, .text = "start it"};
	struct err other = {.kind = ERR_SYSTEM, .number = EAGAIN, .text = "fork the program"};
	struct err full = {.kind = ERR_SYSTEM, .number = ENOMEM, .no_process = true, .text = "it"};

	(void)state;
	namespaces_explain(&refused);
	assert_true(message_is(refused.text, "@namespaces_explain start it"));
	namespaces_explain(&other);
	assert_string_equal(other.text, "fork the program");
	namespaces_explain(&full);
	assert_string_equal(full.text, "it");
}

static void play_clone(int fd, const void *what)
{
	struct err e = {0};

	(void)what;
	enter();
	limit("mnt", "0");
	errno = ENOSPC;
	namespaces_no_clone("/usr", &e);
	send_error(fd, &e);
}

static void test_a_mount_that_cannot_be_cloned_is_explained(void **state)
{
	struct err e;

	(void)state;
	if (ask(play_clone, NULL, &e) &&
	    !message_is(e.text,
			"@namespaces_cause_describe_limit#root user.max_mnt_namespaces ... 0"))
		fail_msg("%s", e.text);
	errno = ENOENT;
	assert_int_equal(namespaces_no_clone("/nowhere", &e), -1);
	assert_says(e.text, "@namespaces_no_clone /nowhere");
	assert_int_equal(e.number, ENOENT);
}

static void test_a_root_of_its_own_is_no_chroot(void **state)
{
	(void)state;
	assert_false(is_chrooted());
}

/* No SIGCHLD handler of a supervisor is called, and no process is left. */
static void test_a_try_leaves_nothing(void **state)
{
	(void)state;
	namespaces_try(CLONE_NEWUSER);
	assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int make_directory(void **state)
{
	static int fd;

	fd = unit_enter();
	*state = &fd;
	snprintf(directory, sizeof(directory), "%s/root", unit_directory);
	return mkdir(directory, 0755);
}

static int remove_directory(void **state)
{
	unit_leave(*(int *)*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_cause_is_told),
		cmocka_unit_test(test_each_limit_is_told),
		cmocka_unit_test(test_a_step_behind_the_boundary_is_explained),
		cmocka_unit_test(test_a_process_that_is_refused_is_explained),
		cmocka_unit_test(test_a_mount_that_cannot_be_cloned_is_explained),
		cmocka_unit_test(test_a_root_of_its_own_is_no_chroot),
		cmocka_unit_test(test_a_try_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
