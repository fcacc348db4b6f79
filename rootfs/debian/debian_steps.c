/*
 * debian_steps - make the command lines, environments and inputs of the steps of a Debian root.
 */
#include "debian_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/own.h"
#include "pip_constraints.h"
#include "sources.h"

#define ROOT       CHAMBER_BUILD "/root"
#define HOOKS      CHAMBER_INPUTS
#define MERGED_USR "/usr/share/mmdebstrap/hooks/maybe-merged-usr"
#define PATHS      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

char *debian_find_tool(void)
{
	const char *path = getenv("PATH");
	auto_free char *copy = own_strdup(path ? path : PATHS);
	char *save = NULL;

	for (char *dir = strtok_r(copy, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		auto_free char *file = own_printf("%s/mmdebstrap", dir);

		if (*dir == '/' && !access(file, X_OK))
			return take_ptr(&file);
	}
	return NULL;
}

/* The directories of mmdebstrap and its parts, then the host's own. */
static char *debian_steps_tool_directory(void)
{
	char *tool = debian_find_tool();

	if (tool)
		*strrchr(tool, '/') = '\0';
	return tool;
}

static bool debian_steps_is_shown_anyway(const char *path)
{
	static const char *const shown[] = {"/usr/", "/bin/", "/sbin/", "/etc/", "/lib"};

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (!strncmp(path, shown[i], strlen(shown[i])))
			return true;
	}
	return !strcmp(path, "/bin") || !strcmp(path, "/sbin");
}

static void debian_steps_show(struct chamber_inputs *out, const char *path)
{
	if (*path == '/' && path[1] && !debian_steps_is_shown_anyway(path))
		list_add(&out->shown, path);
}

/* Show a mirror in a directory: "copy:/srv/mirror", in a line of apt's or alone. */
static void debian_steps_show_mirror(struct chamber_inputs *out, const char *line)
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
		debian_steps_show(out, path);
	}
}

static const char *debian_steps_find_links(const struct debian_request *q)
{
	const char *path =
		q->recipe->pip_find_links ? q->recipe->pip_find_links : getenv("PIP_FIND_LINKS");
	struct stat st;

	return path && !stat(path, &st) && S_ISDIR(st.st_mode) ? path : NULL;
}

const char *debian_certificates(void)
{
	const char *path = getenv("PIP_CERT") ? getenv("PIP_CERT") : getenv("SSL_CERT_FILE");

	return path && *path ? path : NULL;
}

static void debian_steps_set_wheels(const struct debian_request *q, struct chamber_inputs *out)
{
	const char *certificates = debian_certificates();
	const char *links = debian_steps_find_links(q);

	if (certificates) {
		list_add(&out->files, certificates);
		list_add(&out->file_names, "certificates.pem");
	}
	pip_constraints_show(out);
	if (!links)
		return;
	list_add(&out->directories, links);
	list_add(&out->names, "wheels");
}

int debian_inputs(const struct debian_request *q, enum debian_step which, const char *build,
		  struct chamber_inputs *out, struct err *e)
{
	auto_free char *tools = debian_steps_tool_directory();

	*out = (struct chamber_inputs){.build = build};
	if (!tools)
		return err_set(e, ERR_UNSUPPORTED, "mmdebstrap is gone");
	list_addf(&out->directories, "%s/hooks", q->share);
	list_add(&out->names, "");
	debian_steps_show(out, tools);
	for (size_t i = 0; i < q->mirrors->count; i++)
		debian_steps_show_mirror(out, q->mirrors->items[i]);
	if (which == STEP_WHEELS)
		debian_steps_set_wheels(q, out);
	if (q->bases && q->bases->kept.path && (which == STEP_FETCH || which == STEP_INSTALL))
		debian_steps_show(out, q->bases->kept.path);
	return 0;
}

void debian_inputs_fini(struct chamber_inputs *inputs)
{
	list_fini(&inputs->shown);
	list_fini(&inputs->directories);
	list_fini(&inputs->names);
	list_fini(&inputs->files);
	list_fini(&inputs->file_names);
}

static void debian_steps_add_words(struct list *env, const char *name, const struct list *words,
				   size_t count)
{
	auto_buf struct buf text = {0};

	buf_printf(&text, "%s=", name);
	for (size_t i = 0; i < count; i++)
		buf_printf(&text, i ? " %s" : "%s", words->items[i]);
	list_add(env, buf_string(&text));
}

/*
 * Pass only these variables of the caller, and only to a step with a network: others may hold
 * secrets.
 */
static void debian_steps_add_network(const struct debian_request *q, struct list *env)
{
	static const char *const names[] = {
		"http_proxy",   "https_proxy", "ftp_proxy",        "no_proxy",
		"all_proxy",    "HTTP_PROXY",  "HTTPS_PROXY",      "NO_PROXY",
		"ALL_PROXY",    "PIP_PROXY",   "PIP_INDEX_URL",    "PIP_EXTRA_INDEX_URL",
		"PIP_NO_INDEX", "PIP_PRE",     "PIP_TRUSTED_HOST", "PIP_DEFAULT_TIMEOUT",
		"PIP_RETRIES",  "PIP_TIMEOUT",
	};
	const char *links =
		q->recipe->pip_find_links ? q->recipe->pip_find_links : getenv("PIP_FIND_LINKS");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (getenv(names[i]))
			list_addf(env, "%s=%s", names[i], getenv(names[i]));
	}
	/* A URL; a directory is copied instead. */
	if (links && strstr(links, "://"))
		list_addf(env, "PIP_FIND_LINKS=%s", links);
	pip_constraints_set(env);
}

static void debian_steps_set_environment(const struct debian_request *q, struct chamber_step *step)
{
	auto_free char *tools = debian_steps_tool_directory();

	list_addf(&step->env, "PATH=%s%s%s", tools ? tools : "", tools ? ":" : "", PATHS);
	list_addf(&step->env, "HOME=/tmp");
	list_addf(&step->env, "TMPDIR=/tmp");
	list_addf(&step->env, "LC_ALL=C.UTF-8");
	list_addf(&step->env, "DEBIAN_FRONTEND=noninteractive");
	list_addf(&step->env, "GLOVEBOX_SUITE=%s", q->suite);
	list_addf(&step->env, "GLOVEBOX_ALLOW_SDIST=%s", q->allow_sdist ? "1" : "");
	debian_steps_add_words(&step->env, "GLOVEBOX_APT", &q->recipe->apt, q->recipe->apt.count);
	debian_steps_add_words(&step->env, "GLOVEBOX_PIP", &q->recipe->pip, q->recipe->pip.count);
	debian_steps_add_words(&step->env, "GLOVEBOX_PRELOAD", &q->recipe->preload,
			       q->recipe->preload.count);
	debian_steps_add_words(&step->env, "GLOVEBOX_WITHOUT", &q->recipe->without,
			       q->recipe->without.count);
	if (q->bases && q->bases->kept.path) {
		list_addf(&step->env, "GLOVEBOX_BASES=%s", q->bases->kept.path);
		list_addf(&step->env, "GLOVEBOX_BASE_KEY=%s", q->bases->hit ? q->bases->key : "");
		debian_steps_add_words(&step->env, "GLOVEBOX_BASE_APT", &q->recipe->apt,
				       q->recipe->base_apt);
	}
	if (step->network)
		debian_steps_add_network(q, &step->env);
}

/*
 * Arguments shared by both runs of mmdebstrap: the second continues in the directory of the first.
 */
static int debian_steps_add_debootstrap(const struct debian_request *q, struct list *args,
					struct err *e)
{
	auto_list struct list options = {0};

	list_addf(args, "mmdebstrap");
	list_addf(args, "--mode=root");
	list_addf(args, "--format=directory");
	if (sources_apt_options(&options, e))
		return -1;
	for (size_t i = 0; i < options.count; i++)
		list_addf(args, "--aptopt=%s", options.items[i]);
	/* Counted from the index's own date; the mirror may allow more. */
	if (q->stale_days)
		list_addf(args, "--aptopt=Acquire::Min-ValidTime \"%u\"", q->stale_days * 86400);
	/*
	 * Exclude files that programs do not read; but licences accompany every copy (tools/sbom).
	 * A crash costs only the build, so skip fsync per file.
	 */
	list_addf(args, "--dpkgopt=path-exclude=/usr/share/doc/*");
	list_addf(args, "--dpkgopt=path-include=/usr/share/doc/*/copyright");
	list_addf(args, "--dpkgopt=path-exclude=/usr/share/man/*");
	list_addf(args, "--dpkgopt=path-exclude=/usr/share/info/*");
	list_addf(args, "--dpkgopt=path-exclude=/usr/share/locale/*/LC_MESSAGES/*.mo");
	list_addf(args, "--dpkgopt=force-unsafe-io");
	return 0;
}

static void debian_steps_add_target(struct list *args, const struct debian_request *q)
{
	list_addf(args, "%s", q->suite);
	list_addf(args, ROOT);
	for (size_t i = 0; i < q->mirrors->count; i++)
		list_addf(args, "%s", q->mirrors->items[i]);
}

static int debian_steps_fetch_argv(const struct debian_request *q, struct list *args, struct err *e)
{
	if (debian_steps_add_debootstrap(q, args, e))
		return -1;
	list_addf(args, "--variant=custom");
	list_addf(args, "--skip=cleanup");
	/* First, because the hook below needs the indices and cannot tell why they are missing. */
	list_addf(args, "--setup-hook=sh " HOOKS "/update.sh \"$1\"");
	if (!access(MERGED_USR "/setup00.sh", X_OK))
		list_addf(args, "--setup-hook=" MERGED_USR "/setup00.sh");
	list_addf(args, "--setup-hook=sh " HOOKS "/without.sh \"$1\"");
	list_addf(args, "--setup-hook=sh " HOOKS "/fetch.sh \"$1\"");
	debian_steps_add_target(args, q);
	return 0;
}

/* Install on top of the root's present packages. */
static int debian_steps_add_install(const struct debian_request *q, size_t count, struct list *args,
				    struct err *e)
{
	if (debian_steps_add_debootstrap(q, args, e))
		return -1;
	list_addf(args, "--variant=essential");
	/* A sandbox lacks the host's /sys; finish.sh removes what apt leaves. */
	list_addf(args, "--skip=check/empty,update,chroot/mount/sys,cleanup/apt");
	if (!access(MERGED_USR "/essential00.sh", X_OK))
		list_addf(args, "--essential-hook=" MERGED_USR "/essential00.sh");
	for (size_t i = 0; i < count; i++)
		list_addf(args, "--include=%s", q->recipe->apt.items[i]);
	return 0;
}

static int debian_steps_base_argv(const struct debian_request *q, struct list *args, struct err *e)
{
	if (debian_steps_add_install(q, q->recipe->base_apt, args, e))
		return -1;
	debian_steps_add_target(args, q);
	return 0;
}

static int debian_steps_install_argv(const struct debian_request *q, struct list *args,
				     struct err *e)
{
	if (debian_steps_add_install(q, q->recipe->apt.count, args, e))
		return -1;
	if (q->bases && q->bases->hit)
		list_addf(args, "--setup-hook=sh " HOOKS "/base.sh \"$1\"");
	debian_steps_add_target(args, q);
	return 0;
}

/* clang-format off */
static const struct {
	const char *name;
	const char *says; /* to the user */
	int (*argv)(const struct debian_request *q, struct list *args, struct err *e);
	const char *script; /* our script, instead of mmdebstrap */
	bool network;
	bool piped;
	bool cause;       /* its script may leave a cause (fetch_cause.h) */
	unsigned limit_s; /* time limit; 0: none */
} steps[STEP_COUNT] = {
	[STEP_FETCH]   = {"fetch",   "downloading packages",                   debian_steps_fetch_argv,    NULL,               true,  false, true,  0},
	[STEP_BASE]    = {"base",    "installing the base",                   debian_steps_base_argv,     NULL,               false, false, false, 0},
	[STEP_SAVE]    = {"save",    "keeping the base for other recipes",     NULL,                       HOOKS "/save.sh",   false, true,  false, 0},
	[STEP_INSTALL] = {"install", "installing packages",                    debian_steps_install_argv,  NULL,               false, false, false, 0},
	[STEP_WHEELS]  = {"wheels",  "downloading from PyPI",                  NULL,                       HOOKS "/wheels.sh", true,  false, true,  0},
	/* It imports a wheel's modules, which could wait for ever. */
	[STEP_FINISH]  = {"finish",  "importing modules, making caches",       NULL,                       HOOKS "/finish.sh", false, false, true,  3600},
	[STEP_PACK]    = {"pack",    "writing the image",                      NULL,                       HOOKS "/pack.sh",   false, true,  false, 0},
};
/* clang-format on */

const char *debian_step_says(enum debian_step which)
{
	return steps[which].says;
}

bool debian_step_leaves_cause(enum debian_step which)
{
	return steps[which].cause;
}

int debian_step(const struct debian_request *q, enum debian_step which, struct chamber_step *out,
		struct err *e)
{
	*out = (struct chamber_step){.name = steps[which].name,
				     .network = steps[which].network,
				     .piped = steps[which].piped,
				     .limit_s = steps[which].limit_s};
	debian_steps_set_environment(q, out);
	if (steps[which].argv)
		return steps[which].argv(q, &out->argv, e);
	list_addf(&out->argv, "sh");
	list_addf(&out->argv, "%s", steps[which].script);
	list_addf(&out->argv, ROOT);
	return 0;
}

void debian_step_fini(struct chamber_step *step)
{
	list_fini(&step->argv);
	list_fini(&step->env);
}
