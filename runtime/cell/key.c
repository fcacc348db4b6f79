/*
 * key - what a warm Python has in common with every cell made from it.
 */
#include "cell/key.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/resolve.h"

/* Variables that the interpreter or a library reads once, by name or by prefix ("X*"). */
static const char *const read_once[] = {
	"PYTHON*", "LC_*",           "LANG",     "LANGUAGE",   "LOCPATH",
	"LD_*",    "GLIBC_TUNABLES", "MALLOC_*", "MPLBACKEND", "MPLCONFIGDIR",
	"HOME",    "XDG_*",          "MKL_*",    "NUMEXPR_*",  "NUMBA_*",
	"NPY_*",   "OPENSSL_*",      "SSL_*",    "BLAS*",      "OPENBLAS_*",
	"GOTO_*",  "OMP_*",          "GOMP_*",   "KMP_*",      "TZDIR",
};

static bool is_read_once(const char *variable)
{
	for (size_t i = 0; i < sizeof(read_once) / sizeof(read_once[0]); i++) {
		size_t length = strlen(read_once[i]);
		bool prefix = read_once[i][length - 1] == '*';

		if (!strncmp(variable, read_once[i], length - prefix) &&
		    (prefix || variable[length] == '='))
			return true;
	}
	return false;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_variables(const struct string_list *env, struct buf *out)
{
	auto_free const char **kept = calloc(env->count + 1, sizeof(*kept));
	size_t count = 0;

	if (!kept)
		abort();
	for (size_t i = 0; i < env->count; i++) {
		if (is_read_once(env->items[i]))
			kept[count++] = env->items[i];
	}
	qsort(kept, count, sizeof(*kept), compare);
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "\n%zu:%s", strlen(kept[i]),
			   kept[i]); /* values may have line ends */
}

/* The file that is executed for `path` inside, by its real name inside; 0 or -1. */
static int real_path(int root_fd, const char *path, char *out, size_t size)
{
	auto_fd int fd =
		resolve_open(root_fd, path, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	char name[32];
	char root[PATH_MAX];
	char real[PATH_MAX];
	ssize_t root_length;
	ssize_t length;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", root_fd);
	root_length = readlink(name, root, sizeof(root));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	length = readlink(name, real, sizeof(real));
	if (root_length == 1)
		root_length = 0; /* "/" */
	if (root_length < 0 || length <= root_length || length >= (ssize_t)sizeof(real))
		return -1;
	snprintf(out, size, "%.*s", (int)(length - root_length), real + root_length);
	return 0;
}

/* Its real name says so; and it is the image's own, not a virtual environment's (PEP 405). */
static bool is_python(int root_fd, const char *found, const char *real)
{
	static const char *const marks[] = {"pyvenv.cfg", "../pyvenv.cfg"};
	const char *name = strrchr(real, '/');
	const char *slash = strrchr(found, '/');

	if (!name || !slash || strncmp(name + 1, "python3", 7) != 0)
		return false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		char path[PATH_MAX];
		auto_fd int fd = -1;

		snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - found), found, marks[i]);
		fd = resolve_open(root_fd, path, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
		if (fd >= 0)
			return false;
	}
	return true;
}

/* Where a mount would put other modules than those that are imported already. */
static bool hides_libraries(const struct sandbox_spec *spec)
{
	static const char *const places[] = {"/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc"};

	for (size_t i = 0; i < spec->mount_count; i++) {
		for (size_t j = 0; j < sizeof(places) / sizeof(places[0]); j++) {
			if (path_is_at_or_below(spec->mounts[i].target, places[j]))
				return true;
		}
	}
	return false;
}

/* As execvp(3) would find it, inside. */
static int find_python(const struct sandbox *s, const char *name, char *out, size_t size)
{
	auto_fd int host_fd = -1;
	int root_fd = s->image.root_fd;
	const char *p = s->program.search_path;

	if (s->image.is_host)
		host_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->image.is_host)
		root_fd = host_fd;
	if (strchr(name, '/'))
		return real_path(root_fd, name, out, size) || !is_python(root_fd, name, out) ? -1
											     : 0;
	while (*p) {
		char path[PATH_MAX];
		size_t length = strcspn(p, ":");

		snprintf(path, sizeof(path), "%.*s/%s", (int)length, p, name);
		if (length && !real_path(root_fd, path, out, size))
			return is_python(root_fd, path, out) ? 0 : -1;
		p += length + (p[length] == ':');
	}
	return -1;
}

int warm_key(const struct sandbox *s, const char *python, struct buf *out)
{
	char path[PATH_MAX];

	if (find_python(s, python, path, sizeof(path)) ||
	    (s->image.is_host && strncmp(path, "/usr/", 5) != 0))
		return -1;
	buf_printf(out, "%s\n%s\n%u:%u", s->image.config.id, path, s->map.inside_uid,
		   s->map.inside_gid);
	add_variables(&s->program.env, out);
	return 0;
}

/* `timeout 30 COMMAND`, without options: a number of seconds, or with a unit. */
static unsigned skip_timeout(char *const *argv, size_t count, uint64_t *timeout_ms)
{
	struct err e;

	*timeout_ms = 0;
	if (count < 3 || strcmp(argv[0], "timeout") != 0 || strstr(argv[1], "ms"))
		return 0;
	if (parse_duration(argv[1], 1, SPEC_UNLIMITED / 2000, timeout_ms, &e))
		return 0;
	return 2;
}

/* `python [-u] [FILE | -c COMMAND | -m MODULE | -] [ARG...]` */
static const char *refuse_arguments(char *const *argv)
{
	while (*argv && !strcmp(*argv, "-u"))
		argv++;
	if (!*argv || (*argv)[0] != '-' || !strcmp(*argv, "-"))
		return NULL;
	if ((*argv)[1] != 'c' && (*argv)[1] != 'm')
		return "options of the interpreter are read when it starts";
	return (*argv)[2] || argv[1] ? NULL : "the command line is incomplete";
}

static const char *refuse_limits(const struct sandbox_spec *spec)
{
	const struct limits *l = &spec->limits;

	if (l->cpuset || l->cpu_time_ms != SPEC_UNLIMITED)
		return "a cell has no --cpuset-cpus and no --cpu-time: leave it out";
	if (l->memory_bytes == SPEC_UNLIMITED || l->pids == SPEC_UNLIMITED ||
	    l->cpu_quota_us == SPEC_UNLIMITED)
		return "a cell always has a limit of memory, pids and cpu: give a number, not \"no "
		       "limit\"";
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		if (spec->rlimits[i].set && !spec->rlimits[i].is_default)
			return "--ulimit is set when a process starts";
	}
	return NULL;
}

const char *warm_refusal_of_limits(const struct sandbox *s)
{
	const char *reason = refuse_limits(s->spec);

	if (reason)
		return reason;
	if (s->spec->seccomp != SECCOMP_SHIPPED)
		return "the filter of a cell is the shipped one, under its nursery's";
	if (hides_libraries(s->spec))
		return "a mount lies over the image's libraries or settings";
	return NULL;
}

const char *warm_refusal(const struct sandbox *s, unsigned *skip, uint64_t *timeout_ms)
{
	const struct string_list *argv = &s->program.argv;
	const char *reason = warm_refusal_of_limits(s);

	char path[PATH_MAX];

	*skip = skip_timeout(argv->items, argv->count, timeout_ms);
	if (reason)
		return reason;
	if (!*skip && !strcmp(argv->items[0], "timeout"))
		return "timeout(1) is stood in for as `timeout SECONDS COMMAND` only";
	reason = refuse_arguments(argv->items + *skip + 1);
	/* What looks like options of an interpreter may be another program's. */
	if (reason && find_python(s, argv->items[*skip], path, sizeof(path)))
		return WARM_NOT_A_PYTHON;
	return reason;
}
