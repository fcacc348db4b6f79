/*
 * key - what a warm Python has in common with every cell made from it.
 */
#include "wire/key.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "base/parse.h"
#include "base/path.h"
#include "fs/resolve.h"
#include "sandbox/plan_image.h"
#include "spec/run_settings.h"

/*
 * Variables that the interpreter or a library reads once, by name or by prefix ("X*").
 * SSL_CERT_FILE and SSL_CERT_DIR are none: OpenSSL reads them for each context, and if a preload
 * has made one, the cell knows (rootfs/guest/program.py, trusts_others). A cell makes the streams
 * for which Python reads PYTHONUNBUFFERED anew.
 */
static const char *const read_once[] = {
	"PYTHON*",        "LC_*",      "LANG",       "LANGUAGE",     "LOCPATH",   "LD_*",
	"GLIBC_TUNABLES", "MALLOC_*",  "MPLBACKEND", "MPLCONFIGDIR", "HOME",      "XDG_*",
	"MKL_*",          "NUMEXPR_*", "NUMBA_*",    "NPY_*",        "OPENSSL_*", "BLAS*",
	"OPENBLAS_*",     "GOTO_*",    "OMP_*",      "GOMP_*",       "KMP_*",     "TZDIR",
};

static bool key_is_read_once(const char *variable)
{
	if (!strncmp(variable, "PYTHONUNBUFFERED=", 17))
		return false;
	for (size_t i = 0; i < sizeof(read_once) / sizeof(read_once[0]); i++) {
		size_t length = strlen(read_once[i]);
		bool prefix = read_once[i][length - 1] == '*';

		if (!strncmp(variable, read_once[i], length - prefix) &&
		    (prefix || variable[length] == '='))
			return true;
	}
	return false;
}

static int key_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void key_add_variables(const struct string_list *env, struct buf *out)
{
	auto_free const char **kept = own_zeroed(env->count + 1, sizeof(*kept));
	size_t count = 0;

	for (size_t i = 0; i < env->count; i++) {
		if (key_is_read_once(env->items[i]))
			kept[count++] = env->items[i];
	}
	qsort(kept, count, sizeof(*kept), key_compare);
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "\n%zu:%s", strlen(kept[i]),
			   kept[i]); /* values may contain newlines */
}

/* The real path inside of the file that would be executed for `path`; 0 or -1. */
static int key_real_path(int root_fd, const char *path, char *out, size_t size)
{
	auto_fd int fd =
		resolve_open(root_fd, path, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	char real[PATH_MAX];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return -1;
	if (fd_path_below(root_fd, fd, real) || !*real)
		return -1;
	snprintf(out, size, "%s", real);
	return 0;
}

/* Whether its real name is CPython's, and it is the image's own. */
static enum warm_python key_judge_python(int root_fd, const char *found, const char *real)
{
	static const char *const marks[] = {"pyvenv.cfg", "../pyvenv.cfg"};
	const char *name = strrchr(real, '/');
	const char *slash = strrchr(found, '/');

	if (!name || !slash || strncmp(name + 1, "python3", 7) != 0)
		return WARM_PYTHON_IS_NONE;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		char path[PATH_MAX];
		auto_fd int fd = -1;

		snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - found), found, marks[i]);
		fd = resolve_open(root_fd, path, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
		if (fd >= 0)
			return WARM_PYTHON_IS_VENV;
	}
	return WARM_PYTHON_FITS;
}

/* Whether a mount puts other modules in the place of those that are imported already. */
static bool key_hides_libraries(const struct sandbox_spec *spec)
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

/* The same for a Python elsewhere: its own directory, /opt/conda for /opt/conda/bin/python3.12. */
static bool key_hides_python(const struct sandbox_spec *spec, const char *python)
{
	const char *folder = strrchr(python, '/');
	char prefix[PATH_MAX];

	while (folder > python) {
		folder--;
		if (*folder == '/')
			break;
	}
	snprintf(prefix, sizeof(prefix), "%.*s", (int)(folder - python), python);
	for (size_t i = 0; *prefix && i < spec->mount_count; i++) {
		const char *target = spec->mounts[i].target;

		if (path_is_at_or_below(target, prefix) || path_is_at_or_below(prefix, target))
			return true;
	}
	return false;
}

/* Find it inside as execvp(3) would. */
static enum warm_python key_find_python(const struct sandbox *s, const char *name, char *out,
					size_t size)
{
	auto_fd int host_fd = -1;
	int root_fd = s->image.root_fd;
	const char *p = s->program.search_path;

	if (s->image.is_host)
		host_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->image.is_host)
		root_fd = host_fd;
	if (strchr(name, '/'))
		return key_real_path(root_fd, name, out, size)
			       ? WARM_PYTHON_IS_NONE
			       : key_judge_python(root_fd, name, out);
	while (*p) {
		char path[PATH_MAX];
		size_t length = strcspn(p, ":");

		snprintf(path, sizeof(path), "%.*s/%s", (int)length, p, name);
		if (length && !key_real_path(root_fd, path, out, size))
			return key_judge_python(root_fd, path, out);
		p += length + (p[length] == ':');
	}
	/* A link of ours, where the host has no such name (root_host.c). */
	if (s->image.is_host && !strcmp(name, "python"))
		return key_find_python(s, "python3", out, size);
	return WARM_PYTHON_IS_NONE;
}

int warm_key(const struct sandbox *s, const char *python, struct buf *out)
{
	char path[PATH_MAX];

	if (key_find_python(s, python, path, sizeof(path)) ||
	    (s->image.is_host && strncmp(path, "/usr/", 5) != 0))
		return -1;
	/* A client of another build would send a plan and orders that its cells do not understand.
	 */
	buf_printf(out, "%s\n%s\n%u:%u\n%s", s->image.config.id, path, s->map.inside_uid,
		   s->map.inside_gid, plan_image_layout());
	key_add_variables(&s->program.env, out);
	return 0;
}

/* Skip `timeout 30 COMMAND` without options; the number may have a unit, of one letter. */
static unsigned key_skip_timeout(char *const *argv, size_t count, uint64_t *timeout_ms)
{
	struct err e;

	*timeout_ms = 0;
	if (count < 3 || strcmp(argv[0], "timeout") != 0 ||
	    strlen(argv[1] + strspn(argv[1], "0123456789.")) > 1)
		return 0;
	if (parse_duration(argv[1], 1, SPEC_UNLIMITED / 2000, timeout_ms, &e))
		return 0;
	return 2;
}

/* Check `python [-u] [FILE | -c COMMAND | -m MODULE | -] [ARG...]`. */
static const char *key_refuse_arguments(char *const *argv, bool tty)
{
	while (*argv && !strcmp(*argv, "-u"))
		argv++;
	if (!*argv || !strcmp(*argv, "-"))
		return tty ? "a Python with a terminal and no program is interactive" : NULL;
	if ((*argv)[0] != '-')
		return NULL;
	if ((*argv)[1] != 'c' && (*argv)[1] != 'm')
		return "options of the interpreter are read when it starts";
	return (*argv)[2] || argv[1] ? NULL : "the command line is incomplete";
}

static const char *key_refuse_limits(const struct sandbox_spec *spec)
{
	const struct setting *given = NULL;
	const struct limits *l = &spec->limits;

	while ((given = setting_next_given(run_settings, spec->given, given))) {
		if (!(given->faces & FACE_CELL))
			return given->unfit;
	}
	if (l->memory_bytes == SPEC_UNLIMITED)
		return "--memory: a cell always has a limit";
	if (l->pids == SPEC_UNLIMITED)
		return "--pids-limit: a cell always has a limit";
	if (l->cpu_quota_us == SPEC_UNLIMITED)
		return "--cpus: a cell always has a limit";
	return NULL;
}

const char *warm_refusal_of_limits(const struct sandbox *s)
{
	const char *reason = key_refuse_limits(s->spec);

	if (reason)
		return reason;
	if (s->spec->seccomp != SECCOMP_SHIPPED)
		return "the filter of a cell is the shipped one, under its nursery's";
	if (key_hides_libraries(s->spec))
		return "a mount lies over the image's libraries or settings";
	return NULL;
}

enum warm_python warm_look_at_python(const struct sandbox *s, const char *python)
{
	char path[PATH_MAX];
	enum warm_python found = key_find_python(s, python, path, sizeof(path));

	if (found == WARM_PYTHON_FITS && key_hides_python(s->spec, path))
		return WARM_PYTHON_IS_HIDDEN;
	return found;
}

const char *warm_refusal_of_python(const struct sandbox *s, const char *python)
{
	static const char *const reasons[] = {
		[WARM_PYTHON_FITS] = NULL,
		[WARM_PYTHON_IS_NONE] = WARM_NOT_A_PYTHON,
		[WARM_PYTHON_IS_VENV] = "the program is the Python of a virtual environment",
		[WARM_PYTHON_IS_HIDDEN] = "a mount lies over the Python or what belongs to it",
	};

	return reasons[warm_look_at_python(s, python)];
}

const char *warm_refusal(const struct sandbox *s, unsigned *skip, uint64_t *timeout_ms)
{
	const struct string_list *argv = &s->program.argv;
	const char *reason = warm_refusal_of_limits(s);

	char path[PATH_MAX];

	*skip = key_skip_timeout(argv->items, argv->count, timeout_ms);
	if (reason)
		return reason;
	if (!*skip && !strcmp(argv->items[0], "timeout"))
		return "timeout(1) is stood in for as `timeout SECONDS COMMAND` only";
	reason = key_refuse_arguments(argv->items + *skip + 1, s->spec->tty);
	/* If it is not a Python, these are the options of another program. */
	if (reason && key_find_python(s, argv->items[*skip], path, sizeof(path)))
		return WARM_NOT_A_PYTHON;
	return reason;
}
