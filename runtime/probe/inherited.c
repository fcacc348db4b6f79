/*
 * inherited - check what a program could inherit from the caller of glovebox.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/prctl.h>
#include <linux/securebits.h>
#include <linux/stat.h>
#include <signal.h>
#include <sys/resource.h>

#include "inside/sys.h"
#include "probe/probe.h"

#define PTY_MAJOR    136
#define MOST_FDS     8192
#define STATUS_BYTES 4096
#define NO_LIMIT     (~0ul)

static void inherited_stream(int fd, const char *what, unsigned kind)
{
	struct statx st = {0};
	long n = sys5(__NR_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &st);

	probe_say("stdio", what, n == 0 && (st.stx_mode & S_IFMT) == kind, n < 0 ? "errno" : "type",
		  n < 0 ? -n : (st.stx_mode & S_IFMT) >> 12);
}

static void inherited_streams(void)
{
	long open = 0;

	inherited_stream(0, "stdin is the sandbox's /dev/null", S_IFCHR);
	inherited_stream(1, "stdout is a pipe", S_IFIFO);
	inherited_stream(2, "stderr is a pipe", S_IFIFO);
	for (int fd = 3; fd < MOST_FDS; fd++)
		open += sys3(__NR_fcntl, fd, F_GETFD, 0) >= 0;
	probe_say("close-fds", "no other descriptor is open", open == 0, "open:", open);
}

static void inherited_signals(void)
{
	struct {
		unsigned long handler, flags, restorer, mask;
	} action;
	unsigned long mask = ~0ul;
	long ignored = 0;

	for (int number = 1; number <= 64; number++) {
		action.handler = 0;
		sys4(__NR_rt_sigaction, number, NULL, &action, sizeof(mask));
		ignored += action.handler != 0;
	}
	sys4(__NR_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask));
	probe_say("signals", "none is ignored", ignored == 0, "ignored:", ignored);
	probe_say("signals", "none is blocked", mask == 0, mask ? "some are" : "none",
		  PROBE_NO_NUMBER);
}

/* At most: the caller's own hard limit may be lower, as below sudo. */
static void inherited_limit(int resource, const char *what, unsigned long soft, unsigned long hard)
{
	struct rlimit limit = {0};
	long n = sys4(__NR_prlimit64, 0, resource, NULL, &limit);

	probe_say("rlimits", what, n == 0 && limit.rlim_cur <= soft && limit.rlim_max <= hard,
		  "hard limit", limit.rlim_max == NO_LIMIT ? -1 : (long)limit.rlim_max);
}

static void inherited_session(void)
{
	long tty = sys_openat(AT_FDCWD, "/dev/tty", O_RDWR | O_CLOEXEC, 0);

	probe_say("session", "a session of the program's own",
		  sys1(__NR_getsid, 0) == sys0(__NR_getpid), "session", sys1(__NR_getsid, 0));
	probe_must_fail("session", "no controlling terminal", tty);
}

static void inherited_umask(void)
{
	long mask = sys1(__NR_umask, 022);
	long personality = sys1(__NR_personality, 0xffffffff);

	probe_say("umask", "the umask is 022", mask == 022, "umask", mask);
	probe_say("umask", "no personality", personality == 0, "flags", personality);
}

static void inherited_priority(void)
{
	char text[32];
	const char *digits = text;
	long policy = sys1(__NR_sched_getscheduler, 0);
	long nice = 20 - sys2(__NR_getpriority, PRIO_PROCESS, 0);
	long score;

	probe_read("/proc/self/oom_score_adj", text, sizeof(text));
	score = probe_digits(&digits);
	probe_say("priority", "the normal scheduling policy", policy == 0, "policy", policy);
	probe_say("priority", "no higher priority than others", nice >= 0, "nice", nice);
	probe_say("priority", "first to go when memory is short", score >= probe_number("oom"),
		  "score", score);
}

static void inherited_environment(void)
{
	bool found = false;

	for (char **word = probe_environment(); *word; word++)
		found |= probe_begins(*word, PROBE_SECRET);
	probe_say("environment", "the caller's variables are not there", !found,
		  found ? PROBE_SECRET : "not there", PROBE_NO_NUMBER);
}

/* The filter would refuse this; it runs without one. */
static void inherited_keys(void)
{
	if (!probe_option("bare"))
		return;
	probe_must_fail("keyring", "a key of the caller's is not found",
			sys5(__NR_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user",
			     probe_option("key"), 0));
}

static void inherited_ids(const char *status)
{
	long uid = probe_number("uid");
	const char *groups = status;
	unsigned real = 0;
	unsigned effective = 0;
	unsigned saved = 0;

	sys3(__NR_getresuid, &real, &effective, &saved);
	probe_say("ids", "the user's id, three times",
		  real == uid && effective == uid && saved == uid, "uid", effective);
	sys3(__NR_getresgid, &real, &effective, &saved);
	probe_say("ids", "the group's id, three times",
		  real == uid && effective == uid && saved == uid, "gid", effective);
	if (!probe_option("root"))
		return; /* only root can drop its groups */
	while (*groups && !probe_begins(groups, "Groups:\t"))
		groups++;
	groups += *groups ? 8 : 0;
	while (*groups == ' ')
		groups++;
	probe_say("ids", "no supplementary group", *groups == '\n',
		  *groups == '\n' ? "none" : "some", PROBE_NO_NUMBER);
}

/* A line of /proc/self/status; empty if it is missing. */
static const char *inherited_field(const char *text, const char *name, char out[64])
{
	size_t length = 0;

	while (*text && !(probe_begins(text, name) && text[sys_strlen(name)] == ':'))
		text++;
	text += *text ? sys_strlen(name) + 2 : 0;
	while (length < 63 && *text && *text != '\n')
		out[length++] = *text++;
	out[length] = '\0';
	return out;
}

static void inherited_rights(const char *status)
{
	static const struct {
		const char *layer, *field, *what, *value;
	} rows[] = {
		{"caps",         "CapInh",     "no inheritable capability",          "0000000000000000"},
		{"caps",         "CapPrm",     "no permitted capability",            "0000000000000000"},
		{"caps",         "CapEff",     "no effective capability",            "0000000000000000"},
		{"caps",         "CapAmb",     "no ambient capability",              "0000000000000000"},
		{"bounding",     "CapBnd",     "no capability that exec could give", "0000000000000000"},
		{"no-new-privs", "NoNewPrivs", "no_new_privs is set",                "1"               },
	};
	char value[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		inherited_field(status, rows[i].field, value);
		probe_say(rows[i].layer, rows[i].what, probe_same(value, rows[i].value), value,
			  PROBE_NO_NUMBER);
	}
	inherited_field(status, "Seccomp", value);
	if (!probe_option("bare"))
		probe_say("seccomp", "a filter is in force", probe_same(value, "2"), value,
			  PROBE_NO_NUMBER);
}

static void inherited_secure_bits(void)
{
	long bits = sys1(__NR_prctl, PR_GET_SECUREBITS);
	long wanted = issecure_mask(SECURE_NOROOT) | issecure_mask(SECURE_NOROOT_LOCKED);

	if (probe_option("bare"))
		probe_say("bounding", "uid 0 is a number like any other",
			  bits >= 0 && (bits & wanted) == wanted, "secure bits", bits);
}

void inherited_terminal(void)
{
	static const char *const what[] = {"stdin is it", "stdout is it", "stderr is it"};
	long fd = sys_openat(AT_FDCWD, "/dev/tty", O_RDWR | O_CLOEXEC, 0);

	for (int i = 0; i < 3; i++) {
		struct statx st = {0};

		sys5(__NR_statx, i, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st);
		probe_say("terminal", what[i], st.stx_rdev_major == PTY_MAJOR && !st.stx_rdev_minor,
			  "device", st.stx_rdev_major);
	}
	probe_say("terminal", "it is the session's", fd >= 0, fd < 0 ? "errno" : "opened",
		  fd < 0 ? -fd : PROBE_NO_NUMBER);
	probe_must_fail("terminal", "there is no other",
			sys_openat(AT_FDCWD, "/dev/pts/1", O_RDWR | O_CLOEXEC, 0));
}

void inherited_check(void)
{
	char status[STATUS_BYTES];

	probe_read("/proc/self/status", status, sizeof(status));
	inherited_streams();
	inherited_signals();
	inherited_limit(RLIMIT_CORE, "no core dumps", 1, 1);
	if (probe_option("files"))
		inherited_limit(RLIMIT_NOFILE, "open files, as asked for", 200, 300);
	inherited_session();
	inherited_umask();
	inherited_priority();
	inherited_environment();
	inherited_keys();
	inherited_ids(status);
	inherited_rights(status);
	inherited_secure_bits();
}
