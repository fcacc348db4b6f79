/*
 * debian - run mmdebstrap as a child that writes the new root as a tar stream.
 *
 * The same way for root and for an ordinary user (whose root it makes in a user
 * namespace): nothing of it ever lies in the store under foreign ids, because
 * only the stream arrives, and extract.c unpacks it as it unpacks any archive.
 */
#include "debian.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "interrupt.h"
#include "rootless.h"
#include "sources.h"

#define MEMINFO_MAX_BYTES (64u << 10)
#define SCRATCH_MIN_KB    (4u << 20) /* the python image takes 1.2 GB with its packages */
#define MERGED_USR        "/usr/share/mmdebstrap/hooks/maybe-merged-usr"

static bool on_path(const char *name)
{
	const char *path = getenv("PATH");
	auto_free char *copy = strdup(path ? path : "/usr/bin:/bin");
	char *save = NULL;

	if (!copy)
		abort();
	for (char *dir = strtok_r(copy, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		auto_free char *file = NULL;

		if (asprintf(&file, "%s/%s", dir, name) < 0)
			abort();
		if (!access(file, X_OK))
			return true;
	}
	return false;
}

int debian_check(struct err *e)
{
	if (!on_path("mmdebstrap"))
		return err_set(
			e, ERR_UNSUPPORTED,
			"building an image needs mmdebstrap: \"apt-get install mmdebstrap\" as "
			"root; the image \"host\" needs no build");
	return geteuid() == 0 ? 0 : rootless_check(e);
}

static void add(struct list *args, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct list *args, const char *format, ...)
{
	auto_free char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n < 0)
		abort();
	list_add(args, text);
}

/*
 * A hook travels into the new root first, sent by this side of mmdebstrap: in
 * unshare mode it runs under an id that may not be able to read our directory.
 */
static void add_upload(struct list *args, const char *when, const char *share, const char *name)
{
	add(args, "--%s-hook=upload \"%s/hooks/%s\" /tmp/%s", when, share, name, name);
}

static void add_hook(struct list *args, const char *when, const char *share, const char *name)
{
	add_upload(args, when, share, name);
	add(args, "--%s-hook=sh \"$1/tmp/%s\" \"$1\"", when, name);
}

static void add_packages(struct list *args, const struct recipe *r)
{
	for (size_t i = 0; i < r->apt.count; i++)
		add(args, "--include=%s", r->apt.items[i]);
}

static int add_arguments(struct list *args, const struct debian_request *q, struct err *e)
{
	auto_list struct list options = {0};

	add(args, "mmdebstrap");
	add(args, "--mode=%s", geteuid() == 0 ? "root" : "unshare");
	add(args, "--variant=essential");
	add(args, "--format=tar");
	/*
	 * A sandbox has a /dev of its own. What apt leaves, finish.sh removes: mmdebstrap would
	 * run apt-get once more, which cleans the host if the root's /tmp was emptied by a package.
	 */
	add(args, "--skip=output/dev,output/mknod,cleanup/apt");
	if (sources_apt_options(&options, e))
		return -1;
	for (size_t i = 0; i < options.count; i++)
		add(args, "--aptopt=%s", options.items[i]);
	/* What no program reads; and a crash only costs the build, so no fsync per file. */
	add(args, "--dpkgopt=path-exclude=/usr/share/doc/*");
	add(args, "--dpkgopt=path-exclude=/usr/share/man/*");
	add(args, "--dpkgopt=path-exclude=/usr/share/info/*");
	add(args, "--dpkgopt=path-exclude=/usr/share/locale/*/LC_MESSAGES/*.mo");
	add(args, "--dpkgopt=force-unsafe-io");
	if (!access(MERGED_USR, X_OK))
		add(args, "--hook-dir=" MERGED_USR);
	add_packages(args, q->recipe);
	add_hook(args, "setup", q->share, "without.sh");
	add_upload(args, "customize", q->share, "warm_caches.py");
	add_hook(args, "customize", q->share, "pip.sh");
	add_hook(args, "customize", q->share, "finish.sh");
	add(args, "%s", q->suite);
	add(args, "-");
	for (size_t i = 0; i < q->mirrors->count; i++)
		add(args, "%s", q->mirrors->items[i]);
	return 0;
}

static void set_words(const char *name, const struct list *words)
{
	auto_buf struct buf text = {0};

	for (size_t i = 0; i < words->count; i++)
		buf_printf(&text, i ? " %s" : "%s", words->items[i]);
	setenv(name, buf_string(&text), 1);
}

/* In the child, single-threaded and about to exec: what the hooks read. */
static void set_environment(const struct debian_request *q)
{
	set_words("GLOVEBOX_PIP", &q->recipe->pip);
	set_words("GLOVEBOX_WITHOUT", &q->recipe->without);
	setenv("GLOVEBOX_ALLOW_SDIST", q->allow_sdist ? "1" : "", 1);
	if (q->recipe->pip_find_links)
		setenv("PIP_FIND_LINKS", q->recipe->pip_find_links, 1);
	setenv("DEBIAN_FRONTEND", "noninteractive", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	umask(022);
}

/*
 * dpkg syncs its database after every package, which makes a build wait minutes
 * for the disk. What it makes is thrown away, so as root, and with memory to
 * spare, it is made in a tmpfs that only this child's mount namespace has.
 */
static char *scratch_make(void)
{
	auto_free char *path = strdup("/tmp/glovebox-build-XXXXXX");
	unsigned long long available = 0;
	auto_buf struct buf text = {0};
	struct err ignored;
	const char *line;

	if (!path)
		abort();
	if (geteuid() != 0 ||
	    io_read_file(AT_FDCWD, "/proc/meminfo", MEMINFO_MAX_BYTES, &text, &ignored))
		return NULL;
	line = strstr(buf_string(&text), "MemAvailable:");
	if (line)
		available = strtoull(line + strlen("MemAvailable:"), NULL, 10);
	if (available < SCRATCH_MIN_KB || !mkdtemp(path) || chmod(path, 0755))
		return NULL;
	return take_ptr(&path);
}

/* In the child. Without the right to mount, the build only takes longer. */
static void scratch_enter(const char *path)
{
	if (!path || unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) ||
	    mount("glovebox-build", path, "tmpfs", 0, "mode=0755,size=75%"))
		return;
	setenv("TMPDIR", path, 1);
}

static void run_child(const struct debian_request *q, char *const *argv, int out,
		      const char *scratch)
{
	int null = open("/dev/null", O_RDONLY);

	interrupt_reset();
	/* mmdebstrap signals its process group when it gives up: that must not be ours. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	scratch_enter(scratch);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(127);
	set_environment(q);
	execvp(argv[0], argv);
	_exit(127);
}

int debian_start(const struct debian_request *q, struct debian *out, struct err *e)
{
	auto_list struct list args = {0};
	auto_free char **argv = NULL;
	int fds[2];

	if (add_arguments(&args, q, e))
		return -1;
	argv = calloc(args.count + 1, sizeof(*argv));
	if (!argv)
		abort();
	memcpy(argv, args.items, args.count * sizeof(*argv));
	if (pipe2(fds, O_CLOEXEC))
		return err_sys(e, "pipe");
	out->scratch = scratch_make();
	out->pid = fork();
	if (out->pid == 0)
		run_child(q, argv, fds[1], out->scratch);
	close(fds[1]);
	out->fd = fds[0];
	if (out->pid > 0)
		return 0;
	own_close(&out->fd);
	return err_sys(e, "fork");
}

static int wait_for(const struct debian *d, struct err *e)
{
	int status;

	while (waitpid(d->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_sys(e, "wait for mmdebstrap");
		kill(d->pid, SIGTERM);
	}
	return status;
}

int debian_finish(struct debian *d, bool abandon, struct err *e)
{
	int status;

	/* With nobody to read it, the stream's writer ends too. */
	own_close(&d->fd);
	if (abandon)
		kill(d->pid, SIGTERM);
	status = wait_for(d, e);
	if (d->scratch)
		rmdir(d->scratch);
	own_free(&d->scratch);
	if (status < 0)
		return -1;
	if (status == 0)
		return 0;
	if (WIFSIGNALED(status))
		return err_set(e, ERR_SYSTEM, "mmdebstrap was ended by signal %d",
			       WTERMSIG(status));
	return err_set(e, ERR_SYSTEM, "mmdebstrap failed (status %d); its own messages are above",
		       WEXITSTATUS(status));
}
