/*
 * debian_steps - the command lines, environments and inputs of the steps of a Debian root.
 */
#include "debian_steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/own.h"
#include "sources.h"

#define ROOT       CHAMBER_BUILD "/root"
#define HOOKS      CHAMBER_INPUTS
#define MERGED_USR "/usr/share/mmdebstrap/hooks/maybe-merged-usr"
#define PATHS      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

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

char *debian_find_tool(void)
{
	const char *path = getenv("PATH");
	auto_free char *copy = own_strdup(path ? path : PATHS);
	char *save = NULL;

	for (char *dir = strtok_r(copy, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		auto_free char *file = NULL;

		if (asprintf(&file, "%s/mmdebstrap", dir) < 0)
			abort();
		if (*dir == '/' && !access(file, X_OK))
			return take_ptr(&file);
	}
	return NULL;
}

/* Where mmdebstrap and what belongs to it are; with the host's directories behind. */
static char *tool_directory(void)
{
	char *tool = debian_find_tool();

	if (tool)
		*strrchr(tool, '/') = '\0';
	return tool;
}

static bool is_shown_anyway(const char *path)
{
	static const char *const shown[] = {"/usr/", "/bin/", "/sbin/", "/etc/", "/lib"};

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (!strncmp(path, shown[i], strlen(shown[i])))
			return true;
	}
	return !strcmp(path, "/bin") || !strcmp(path, "/sbin");
}

static void show(struct chamber_inputs *out, const char *path)
{
	if (*path == '/' && path[1] && !is_shown_anyway(path))
		list_add(&out->shown, path);
}

/* A mirror in a directory: "copy:/srv/mirror", in a line of apt's or by itself. */
static void show_mirror(struct chamber_inputs *out, const char *line)
{
	static const char *const schemes[] = {"copy:", "file:"};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		const char *p = strstr(line, schemes[i]);
		auto_free char *path = NULL;

		if (!p)
			continue;
		p += strlen(schemes[i]);
		while (p[0] == '/' && p[1] == '/')
			p++;
		path = own_strndup(p, strcspn(p, " \t"));
		show(out, path);
	}
}

static const char *find_links(const struct debian_request *q)
{
	const char *path =
		q->recipe->pip_find_links ? q->recipe->pip_find_links : getenv("PIP_FIND_LINKS");
	struct stat st;

	return path && !stat(path, &st) && S_ISDIR(st.st_mode) ? path : NULL;
}

static void set_wheels(const struct debian_request *q, struct chamber_inputs *out)
{
	const char *cert = getenv("PIP_CERT") ? getenv("PIP_CERT") : getenv("SSL_CERT_FILE");
	const char *links = find_links(q);

	out->certificate = cert && *cert && !access(cert, R_OK) ? cert : NULL;
	if (!links)
		return;
	list_add(&out->directories, links);
	list_add(&out->names, "wheels");
}

int debian_inputs(const struct debian_request *q, enum debian_step which, const char *build,
		  struct chamber_inputs *out, struct err *e)
{
	auto_free char *tools = tool_directory();
	auto_free char *hooks = NULL;

	*out = (struct chamber_inputs){.build = build};
	if (!tools)
		return err_set(e, ERR_UNSUPPORTED, "mmdebstrap is gone");
	if (asprintf(&hooks, "%s/hooks", q->share) < 0)
		abort();
	list_add(&out->directories, hooks);
	list_add(&out->names, "");
	show(out, tools);
	for (size_t i = 0; i < q->mirrors->count; i++)
		show_mirror(out, q->mirrors->items[i]);
	if (which == STEP_WHEELS)
		set_wheels(q, out);
	return 0;
}

void debian_inputs_fini(struct chamber_inputs *inputs)
{
	list_fini(&inputs->shown);
	list_fini(&inputs->directories);
	list_fini(&inputs->names);
}

static void add_words(struct list *env, const char *name, const struct list *words)
{
	auto_buf struct buf text = {0};

	buf_printf(&text, "%s=", name);
	for (size_t i = 0; i < words->count; i++)
		buf_printf(&text, i ? " %s" : "%s", words->items[i]);
	list_add(env, buf_string(&text));
}

/* Of the caller's environment only this, and only for a step with a network: it may hold secrets.
 */
static void add_network(const struct debian_request *q, struct list *env)
{
	static const char *const names[] = {
		"http_proxy",          "https_proxy", "ftp_proxy",      "no_proxy",
		"all_proxy",           "HTTP_PROXY",  "HTTPS_PROXY",    "NO_PROXY",
		"ALL_PROXY",           "PIP_PROXY",   "PIP_INDEX_URL",  "PIP_EXTRA_INDEX_URL",
		"PIP_NO_INDEX",        "PIP_PRE",     "PIP_CONSTRAINT", "PIP_TRUSTED_HOST",
		"PIP_DEFAULT_TIMEOUT", "PIP_RETRIES", "PIP_TIMEOUT",
	};
	const char *links =
		q->recipe->pip_find_links ? q->recipe->pip_find_links : getenv("PIP_FIND_LINKS");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (getenv(names[i]))
			add(env, "%s=%s", names[i], getenv(names[i]));
	}
	/* A URL; a directory is copied. */
	if (links && strstr(links, "://"))
		add(env, "PIP_FIND_LINKS=%s", links);
}

static void set_environment(const struct debian_request *q, struct chamber_step *step)
{
	auto_free char *tools = tool_directory();

	add(&step->env, "PATH=%s%s%s", tools ? tools : "", tools ? ":" : "", PATHS);
	add(&step->env, "HOME=/tmp");
	add(&step->env, "TMPDIR=/tmp");
	add(&step->env, "LC_ALL=C.UTF-8");
	add(&step->env, "DEBIAN_FRONTEND=noninteractive");
	add(&step->env, "GLOVEBOX_SUITE=%s", q->suite);
	add(&step->env, "GLOVEBOX_ALLOW_SDIST=%s", q->allow_sdist ? "1" : "");
	add_words(&step->env, "GLOVEBOX_APT", &q->recipe->apt);
	add_words(&step->env, "GLOVEBOX_PIP", &q->recipe->pip);
	add_words(&step->env, "GLOVEBOX_WITHOUT", &q->recipe->without);
	if (step->network)
		add_network(q, &step->env);
}

/* What both runs of mmdebstrap have in common: the second goes on in the directory of the first. */
static int add_debootstrap(struct list *args, struct err *e)
{
	auto_list struct list options = {0};

	add(args, "mmdebstrap");
	add(args, "--mode=root");
	add(args, "--format=directory");
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
	return 0;
}

static void add_target(struct list *args, const struct debian_request *q)
{
	add(args, "%s", q->suite);
	add(args, ROOT);
	for (size_t i = 0; i < q->mirrors->count; i++)
		add(args, "%s", q->mirrors->items[i]);
}

static int fetch_argv(const struct debian_request *q, struct list *args, struct err *e)
{
	if (add_debootstrap(args, e))
		return -1;
	add(args, "--variant=custom");
	add(args, "--skip=cleanup");
	if (!access(MERGED_USR "/setup00.sh", X_OK))
		add(args, "--setup-hook=" MERGED_USR "/setup00.sh");
	add(args, "--setup-hook=sh " HOOKS "/without.sh \"$1\"");
	add(args, "--setup-hook=sh " HOOKS "/fetch.sh \"$1\"");
	add_target(args, q);
	return 0;
}

static int install_argv(const struct debian_request *q, struct list *args, struct err *e)
{
	if (add_debootstrap(args, e))
		return -1;
	add(args, "--variant=essential");
	/* A sandbox has a /sys of nobody; what apt leaves, finish.sh removes. */
	add(args, "--skip=check/empty,update,chroot/mount/sys,cleanup/apt");
	if (!access(MERGED_USR "/essential00.sh", X_OK))
		add(args, "--essential-hook=" MERGED_USR "/essential00.sh");
	for (size_t i = 0; i < q->recipe->apt.count; i++)
		add(args, "--include=%s", q->recipe->apt.items[i]);
	add_target(args, q);
	return 0;
}

static int wheels_argv(const struct debian_request *q, struct list *args, struct err *e)
{
	(void)q;
	(void)e;
	add(args, "sh");
	add(args, HOOKS "/wheels.sh");
	add(args, ROOT);
	return 0;
}

static int finish_argv(const struct debian_request *q, struct list *args, struct err *e)
{
	(void)q;
	(void)e;
	add(args, "sh");
	add(args, HOOKS "/pack.sh");
	add(args, ROOT);
	return 0;
}

int debian_step(const struct debian_request *q, enum debian_step which, struct chamber_step *out,
		struct err *e)
{
	static const struct {
		const char *name;
		int (*argv)(const struct debian_request *q, struct list *args, struct err *e);
		bool network;
		bool piped;
	} steps[STEP_COUNT] = {
		[STEP_FETCH] = {"fetch",   fetch_argv,   true,  false},
		[STEP_INSTALL] = {"install", install_argv, false, false},
		[STEP_WHEELS] = {"wheels",  wheels_argv,  true,  false},
		[STEP_FINISH] = {"finish",  finish_argv,  false, true },
	};

	*out = (struct chamber_step){.name = steps[which].name,
				     .network = steps[which].network,
				     .piped = steps[which].piped};
	set_environment(q, out);
	return steps[which].argv(q, &out->argv, e);
}

void debian_step_fini(struct chamber_step *step)
{
	list_fini(&step->argv);
	list_fini(&step->env);
}
