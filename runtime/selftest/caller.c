/*
 * caller - the dirty process, and its surroundings.
 */
#include "selftest/caller.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/own.h"
#include "base/process.h"
#include "base/random.h"
#include "base/say.h"
#include "fs/self_path.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "probe/probe.h"
#include "selftest/probe_file.h"

#define HIGH_FD      700
#define MOST_OUTPUT  (1u << 22)
#define WARM_MS      30000 /* a nursery imports the preloads of its image's recipe */
#define THEIR_PATH   "/selftest-probe"
#define SESSION_KEYS (-3) /* KEY_SPEC_SESSION_KEYRING */
#define HIGHER       (-5) /* a priority */
#define OTHER_GROUP  60004

/* A root with only our program in it has no /tmp. */
static void caller_choose_base(void)
{
	const char *home = getenv("HOME");

	if (!getenv("TMPDIR") && access("/tmp", F_OK))
		setenv("TMPDIR", home && !access(home, W_OK) ? home : "/", 1);
}

static void caller_choose_token(struct caller *c)
{
	uint64_t number;

	random_bytes(&number, sizeof(number));
	snprintf(c->token, sizeof(c->token), "selftest-%016llx", (unsigned long long)number);
}

static int caller_make_files(struct caller *c, struct err *e)
{
	char path[128];
	int fd;

	if (scratch_open(&c->scratch, e))
		return -1;
	c->dir = c->scratch.path;
	/* Open to all, so that only the sandbox's own root keeps the program from the file. */
	if (chmod(c->dir, 01755))
		return err_sys(e, "open %s to others", c->dir);
	snprintf(path, sizeof(path), "%s/secret", c->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(e, "make %s", path);
	close(fd);
	snprintf(c->run_dir, sizeof(c->run_dir), "%s/run", c->dir);
	return mkdir(c->run_dir, 0700) ? err_sys(e, "make %s", c->run_dir) : 0;
}

static int caller_listen(struct caller *c, struct err *e)
{
	struct sockaddr_in here = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	socklen_t length = sizeof(here);
	size_t size = strlen(c->token);

	c->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	c->named = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(c->listener, (struct sockaddr *)&here, length) || listen(c->listener, 8) ||
	    getsockname(c->listener, (struct sockaddr *)&here, &length))
		return err_sys(e, "listen on 127.0.0.1");
	c->port = ntohs(here.sin_port);
	memcpy(&name.sun_path[1], c->token, size);
	if (bind(c->named, (struct sockaddr *)&name,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + size)) ||
	    listen(c->named, 8))
		return err_sys(e, "listen on an abstract socket");
	return 0;
}

int caller_open(struct caller *c, struct err *e)
{
	*c = (struct caller){
		.scratch = {.base = -1, .lock = -1},
                  .listener = -1, .named = -1
        };
	caller_choose_token(c);
	caller_choose_base();
	return self_path(c->self, e) || caller_make_files(c, e) ||
			       probe_file_find(c->dir, c->probe, e) || caller_listen(c, e)
		       ? -1
		       : 0;
}

void caller_close(struct caller *c)
{
	scratch_close(&c->scratch);
	own_close(&c->listener);
	own_close(&c->named);
}

/* -- the dirty process ------------------------------------------------------------------------ */

/* Take a terminal of its own, which ends with the process. */
static void caller_take_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	int terminal;

	setsid();
	if (master < 0 || grantpt(master) || unlockpt(master))
		return;
	terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (terminal >= 0)
		(void)ioctl(terminal, TIOCSCTTY, 0);
}

static void caller_take_signals(void)
{
	sigset_t blocked;

	signal(SIGUSR1, SIG_IGN);
	signal(SIGALRM, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR2);
	sigaddset(&blocked, SIGVTALRM);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* Rights that the kernel refuses cannot be inherited either. */
static void caller_take_rights(const struct caller *c)
{
	const struct sched_param none = {0};
	struct rlimit core;

	(void)sched_setscheduler(0, SCHED_BATCH, &none);
	if (geteuid() == 0) {
		(void)setpriority(PRIO_PROCESS, 0, HIGHER);
		(void)setgroups(1, &(gid_t){OTHER_GROUP});
	}
	if (!getrlimit(RLIMIT_CORE, &core)) {
		core.rlim_cur = core.rlim_max;
		(void)setrlimit(RLIMIT_CORE, &core);
	}
	(void)personality(ADDR_NO_RANDOMIZE);
	umask(0);
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0)
		syscall(SYS_add_key, "user", c->token, "x", 1, SESSION_KEYS);
	setenv(PROBE_SECRET, c->token, 1);
}

static void caller_take_streams(const struct caller *c, const struct caller_run *r)
{
	int secret;

	if (chdir(c->dir))
		_exit(125);
	secret = open("secret", O_RDONLY | O_CLOEXEC);
	if (dup2(secret, STDIN_FILENO) < 0 || dup2(r->out, STDOUT_FILENO) < 0 ||
	    dup2(r->messages, STDERR_FILENO) < 0)
		_exit(125);
}

static void caller_take_descriptors(const struct caller *c)
{
	int root = open("/", O_RDONLY | O_DIRECTORY);
	int secret = open("secret", O_RDONLY);

	if (root < 0 || secret < 0 || fcntl(c->listener, F_DUPFD, HIGH_FD) < 0)
		_exit(125);
}

__attribute__((noreturn)) static void caller_become(const struct caller *c,
						    const struct caller_run *r, bool dirty,
						    char **argv)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (c->warm)
		setenv("XDG_RUNTIME_DIR", c->run_dir, 1);
	if (dirty)
		caller_take_terminal();
	caller_take_streams(c, r);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A shell's background job ignores SIGINT, and nohup SIGHUP. */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	if (dirty) {
		caller_take_descriptors(c);
		caller_take_rights(c);
		caller_take_signals();
	}
	execv(c->self, argv);
	_exit(125);
}

/* A warm Python becomes the probe; Python itself ignores two signals (python(1)). */
#define BECOME                                                                                     \
	"import os, signal as s, sys\n"                                                            \
	"s.signal(s.SIGPIPE, s.SIG_DFL)\n"                                                         \
	"s.signal(s.SIGXFSZ, s.SIG_DFL)\n"                                                         \
	"os.execv('" THEIR_PATH "', ['probe', *sys.argv[1:]])"

static void caller_add_words(struct list *words, const char *const *more)
{
	for (; *more; more++)
		list_add(words, *more);
}

static void caller_add_list(struct list *words, const struct list *more)
{
	for (size_t i = 0; i < more->count; i++)
		list_add(words, more->items[i]);
}

static void caller_make_words(struct caller *c, const char *image, const struct list *flags,
			      const struct list *options, struct list *words)
{
	static const char *const always[] = {
		"glovebox",  "run",       "--timeout", "15s",     "--hostname",
		CALLER_NAME, "--workdir", "/tmp",      "--tmpfs", "/tmp:size=1m,nr_inodes=16",
		NULL};
	static const char *const cold[] = {"--warm",       "never",    "--ulimit", "nofile=200:300",
					   "--entrypoint", THEIR_PATH, NULL};
	static const char *const warm[] = {"--warm", "require", NULL};
	static const char *const python[] = {"python3", "-c", BECOME, NULL};

	caller_add_words(words, always);
	caller_add_words(words, c->warm ? warm : cold);
	list_add(words, "--volume");
	list_addf(words, "%s:%s:ro", c->probe, THEIR_PATH);
	list_add(words, "--cidfile");
	list_addf(words, "%s/id.%u", c->dir, c->runs++);
	caller_add_list(words, flags);
	list_add(words, image);
	if (c->warm)
		caller_add_words(words, python);
	list_add(words, c->token);
	caller_add_list(words, options);
}

static int caller_execute(struct caller *c, const struct list *words, bool dirty,
			  struct caller_run *out, struct err *e)
{
	char **argv = own_zeroed(words->count + 1, sizeof(*argv));

	*out = (struct caller_run){.pidfd = -1};
	out->out = memfd_create("selftest-out", MFD_CLOEXEC);
	out->messages = memfd_create("selftest-messages", MFD_CLOEXEC);
	memcpy(argv, words->items, words->count * sizeof(*argv));
	fflush(NULL);
	out->pid = fork();
	if (out->pid == 0)
		caller_become(c, out, dirty, argv);
	if (out->pid > 0)
		out->pidfd = (int)syscall(SYS_pidfd_open, out->pid, 0);
	free(argv);
	if (out->pidfd >= 0 && out->out >= 0 && out->messages >= 0)
		return 0;
	err_sys(e, "start a process");
	caller_end(out);
	return -1;
}

int caller_start(struct caller *c, const char *image, const struct list *flags,
		 const struct list *options, struct caller_run *out, struct err *e)
{
	struct list words = {0};
	int bad;

	caller_make_words(c, image, flags, options, &words);
	bad = caller_execute(c, &words, true, out, e);
	list_fini(&words);
	return bad;
}

/*
 * Run `glovebox warm ...` to its end. Returns the status, or -1; *e has its message unless the
 * status is 0.
 */
static int caller_warm(struct caller *c, const char *const *words, struct buf *answer,
		       struct err *e)
{
	auto_buf struct buf said = {0};
	struct list list = {0};
	struct caller_run r;
	const char *text;
	int length;
	int status;

	caller_add_words(&list, words);
	status = caller_execute(c, &list, false, &r, e);
	list_fini(&list);
	if (status)
		return -1;
	status = caller_wait(&r, WARM_MS);
	caller_read(r.messages, &said);
	if (answer)
		caller_read(r.out, answer);
	caller_end(&r);
	text = say_heard(buf_string(&said), &length);
	if (status)
		err_set(e, ERR_UNSUPPORTED, "%.*s", length, text);
	return status;
}

/* Whether the answer is {"state":"cold"}, and not another failure. */
static bool caller_says_cold(struct buf *answer)
{
	struct err ignored;
	auto_json struct json *json = json_parse(buf_string(answer), answer->length, &ignored);
	const char *state = NULL;

	return json && !json_get_string(json, "state", &state, &ignored) && state &&
	       !strcmp(state, "cold");
}

int caller_warm_start(struct caller *c, const char *image, bool *makes_none, struct err *e)
{
	const char *const words[] = {"glovebox",    "warm", "start",   "--json", "--pool", "2",
				     "--idle-exit", "30s",  "--image", image,    NULL};
	auto_buf struct buf answer = {0};
	int bad;

	c->warm = true;
	bad = caller_warm(c, words, &answer, e);
	*makes_none = bad && caller_says_cold(&answer);
	return bad ? -1 : 0;
}

void caller_warm_stop(struct caller *c)
{
	static const char *const words[] = {"glovebox", "warm", "stop", NULL};
	struct err ignored;

	(void)caller_warm(c, words, NULL, &ignored);
	c->warm = false;
}

int caller_wait(struct caller_run *r, unsigned ms)
{
	int status = 0;

	if (!fd_await(r->pidfd, POLLIN, monotonic_us() + ms * 1000ull) ||
	    waitpid(r->pid, &status, 0) != r->pid)
		return -1;
	r->pid = 0;
	return process_exit_code(status);
}

void caller_read(int fd, struct buf *out)
{
	struct err ignored;

	if (lseek(fd, 0, SEEK_SET) == 0)
		(void)io_read_fd(fd, "the output", MOST_OUTPUT, out, &ignored);
}

void caller_end(struct caller_run *r)
{
	if (r->pid > 0) {
		kill(r->pid, SIGKILL);
		waitpid(r->pid, NULL, 0);
	}
	r->pid = 0;
	own_close(&r->pidfd);
	own_close(&r->out);
	own_close(&r->messages);
}
