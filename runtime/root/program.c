/*
 * program - decide the program's arguments, user and variables from spec and image.
 */
#include "root/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/omit.h"
#include "image/image_user.h"
#include "root/root_ca.h"

#define DEFAULT_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define DEFAULT_HOME "/home/sandbox"
#define DEFAULT_USER "1000:1000"

void program_fini(struct program *p)
{
	free(p->argv.items);
	free(p->env.items);
	*p = (struct program){0};
}

/* HOME is an empty tmpfs of the sandbox; if it cannot be mounted at that path, use another path. */
static const char *program_usable_home(const struct sandbox_spec *s, const char *home)
{
	if (home[0] != '/' || !strcmp(home, "/") || !strcmp(home, "/nonexistent") ||
	    !strncmp(home, "/usr", 4) || !strncmp(home, "/proc", 5) || !strncmp(home, "/dev", 4))
		return DEFAULT_HOME;
	return spec_strdup(s, home);
}

static int program_resolve_user(const struct sandbox_spec *s, const struct image *image,
				struct program *out, struct err *e)
{
	auto_buf struct buf database = {0};
	const char *wanted = s->user ? s->user : image->config.user;
	auto_image_user struct image_user user = {0};

	/* An image that asks for root gets the ordinary user; only --user makes it root inside. */
	if (!s->user && (!*wanted || !strcmp(wanted, "root") || !strncmp(wanted, "root:", 5) ||
			 !strcmp(wanted, "0") || !strncmp(wanted, "0:", 2)))
		wanted = DEFAULT_USER;
	if (image_user_find(image, wanted, &user, e))
		return err_prefix(e, "--user");
	out->uid = user.uid;
	out->gid = user.gid;
	out->home = user.home ? program_usable_home(s, user.home) : DEFAULT_HOME;
	return 0;
}

static void program_set_variable(const struct sandbox_spec *s, struct string_list *list,
				 const char *text)
{
	size_t name = strcspn(text, "=");

	for (size_t i = 0; i < list->count; i++) {
		if (!strncmp(list->items[i], text, name + 1)) {
			list->items[i] = spec_strdup(s, text);
			return;
		}
	}
	spec_list_add(s, list, text);
}

/*
 * Numeric libraries start a thread for each CPU that they see; under a CPU quota their spinning
 * wastes time. So give them one thread per whole CPU of the quota. The variables also reach those
 * that read the affinity and no file (root/root_limits.h).
 */
static void program_set_thread_counts(const struct sandbox_spec *s, struct program *out)
{
	static const char *const names[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
					    "MKL_NUM_THREADS",      "NUMEXPR_NUM_THREADS",
					    "NUMBA_NUM_THREADS",    "POLARS_MAX_THREADS",
					    "PYTHON_CPU_COUNT",     "GOMAXPROCS"};
	const struct limits *l = &s->limits;
	uint64_t cpus;

	if (l->cpu_quota_us == SPEC_UNLIMITED)
		return;
	cpus = (l->cpu_quota_us + l->cpu_period_us - 1) / l->cpu_period_us;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		spec_list_add(s, &out->env,
			      spec_printf(s, "%s=%llu", names[i], (unsigned long long)cpus));
}

static void program_resolve_env(const struct sandbox_spec *s, const struct image *image,
				struct program *out)
{
	struct string_list *env = &out->env;

	spec_list_add(s, env, DEFAULT_PATH);
	spec_list_add(s, env, spec_printf(s, "HOSTNAME=%s", s->hostname));
	spec_list_add(s, env, spec_printf(s, "HOME=%s", out->home));
	if (s->tty) {
		spec_list_add(s, env, "TERM=xterm");
		spec_list_add(s, env, "PS1=$HOSTNAME:$PWD$ "); /* every shell expands it */
	}
	/* The result must include what the program printed before a crash or a deadline. */
	if (s->collected)
		spec_list_add(s, env, "PYTHONUNBUFFERED=1");
	program_set_thread_counts(s, out);
	for (char **p = host_omits("environment") ? environ : NULL; p && *p; p++)
		program_set_variable(s, env, *p);
	/*
	 * Allow pip to change the system's packages: the changes are lost with the sandbox (PEP
	 * 668).
	 */
	if (s->writable)
		spec_list_add(s, env, "PIP_BREAK_SYSTEM_PACKAGES=1");
	for (const char **p = image->config.env; *p; p++)
		program_set_variable(s, env, *p);
	for (const char *const *p = root_ca_variables; s->ca && *p; p++)
		program_set_variable(s, env, *p);
	for (size_t i = 0; i < s->env_file.count; i++)
		program_set_variable(s, env, s->env_file.items[i]);
	for (size_t i = 0; i < s->env.count; i++)
		program_set_variable(s, env, s->env.items[i]);
	out->search_path = "";
	for (size_t i = 0; i < env->count; i++) {
		if (!strncmp(env->items[i], "PATH=", 5))
			out->search_path = env->items[i] + 5;
	}
}

/*
 * As in Docker, --entrypoint replaces the image's and drops its command; words after IMAGE replace
 * the command. --code is a command of its own, and those words are its arguments.
 */
static int program_resolve_argv(const struct sandbox_spec *s, const struct image *image,
				struct program *out, struct err *e)
{
	const char **cmd = image->config.cmd;

	if (s->entrypoint) {
		if (*s->entrypoint)
			spec_list_add(s, &out->argv, s->entrypoint);
		cmd = NULL;
	} else {
		for (const char **p = image->config.entrypoint; *p; p++)
			spec_list_add(s, &out->argv, *p);
	}
	if (s->code_file && !s->entrypoint) {
		spec_list_add(s, &out->argv, "python3");
		spec_list_add(s, &out->argv, "/code/script.py");
		cmd = NULL;
	}
	for (size_t i = 0; i < s->command.count; i++)
		spec_list_add(s, &out->argv, s->command.items[i]);
	for (const char **p = s->command.count ? NULL : cmd; p && *p; p++)
		spec_list_add(s, &out->argv, *p);
	if (!out->argv.count)
		return err_input(e, "no command: the image %s names none, and none was given",
				 image->reference);
	return 0;
}

int program_resolve(const struct sandbox_spec *s, const struct image *image, struct program *out,
		    struct err *e)
{
	*out = (struct program){0};
	if (program_resolve_user(s, image, out, e) || program_resolve_argv(s, image, out, e)) {
		program_fini(out);
		return -1;
	}
	program_resolve_env(s, image, out);
	out->workdir = s->workdir ? s->workdir : "/";
	if (!s->workdir && *image->config.workdir)
		out->workdir = image->config.workdir;
	return 0;
}
