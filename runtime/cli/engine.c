/*
 * engine - `glovebox engine`: serve the Engine's socket, by the program that speaks HTTP.
 */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"
#include "cli/command.h"
#include "cli/scope.h"
#include "cli/words.h"
#include "fs/private_dir.h"
#include "spec/policy.h"

struct engine_flags {
	const char *listen;
	const char *ceiling;
};

/* clang-format off */
const struct setting engine_settings[] = {
	{"listen", 0, "unix:PATH", GROUP_PROGRAM, FACE_RUN, SETTING_TEXT, offsetof(struct engine_flags, listen), NULL, .min = 1, .words = "docker.sock in the user's runtime directory", .help = "where to listen; a socket that systemd passes takes precedence"},
	{"ceiling", 0, "FILE", GROUP_CONFINEMENT, FACE_RUN, SETTING_TEXT, offsetof(struct engine_flags, ceiling), NULL, .min = 1, .help = "the most that a client may ask for, as in /etc/glovebox/policy.d"},
	SETTING_END,
};
/* clang-format on */

/* Owned; NULL with *e. */
static char *engine_default(struct err *e)
{
	char path[PATH_MAX];
	auto_fd int fd = -1;

	if (private_dir_of_user(true, path, sizeof(path), e) || private_dir_check(path, e))
		return NULL;
	fd = private_dir_open(path, e);
	return fd < 0 ? NULL : own_printf("unix:%s/docker.sock", path);
}

/* The commands have it by their environment. Refuse now what would refuse each of them. */
static int engine_take_ceiling(const char *path, struct err *e)
{
	auto_free char *real = path ? realpath(path, NULL) : NULL;
	auto_policy struct policy policy = {.file_count = 0};

	if (path && !real)
		return err_sys(e, "--ceiling %.300s", path);
	if (real)
		setenv(POLICY_VARIABLE, real, 1);
	return policy_read(&policy, e) ? err_prefix(e, "engine") : 0;
}

int command_engine(int argc, char **argv)
{
	struct engine_flags flags = {0};
	auto_free char *where = NULL;
	struct err e;

	if (words_read(argc, argv, engine_settings, &flags, 0, 0, &e) < 0)
		return fail_with_help(&e, "engine");
	where = flags.listen ? own_strdup(flags.listen) : engine_default(&e);
	if (!where)
		return fail_with(&e);
	if (engine_take_ceiling(flags.ceiling, &e))
		return fail_with(&e);
	scope_enter();
	{
		char *words[] = {argv[0], (char *)"engine", where, NULL};

		return exec_sibling("glovebox-serve", 3, words);
	}
}
