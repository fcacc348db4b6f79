/*
 * engine - `glovebox engine`: serve the Engine's socket, by the program that speaks HTTP.
 */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "cli/command.h"
#include "cli/scope.h"
#include "cli/words.h"
#include "fs/private_dir.h"
#include "spec/egress_finish.h"
#include "spec/egress_flags.h"
#include "spec/policy.h"
#include "spec/spec.h"

struct engine_flags {
	const char *listen;
	const char *ceiling;
	struct list egress;
	struct list private_names;
	struct list host_ports;
};

static const struct engine_list {
	const char *flag;
	size_t offset;
	int (*parse)(void *spec, const char *value, struct err *e);
} engine_lists[] = {
	{"--egress",        offsetof(struct engine_flags, egress),        egress_flag_list   },
	{"--allow-private", offsetof(struct engine_flags, private_names), egress_flag_private},
	{"--allow-host",    offsetof(struct engine_flags, host_ports),    egress_flag_host   },
};

/* clang-format off */
const struct setting engine_settings[] = {
	{"listen", 0, "unix:PATH", GROUP_PROGRAM, FACE_RUN, SETTING_TEXT, offsetof(struct engine_flags, listen), NULL, .min = 1, .words = "docker.sock in the user's runtime directory", .help = "where to listen; a socket that systemd passes takes precedence"},
	{"ceiling", 0, "FILE", GROUP_CONFINEMENT, FACE_RUN, SETTING_TEXT, offsetof(struct engine_flags, ceiling), NULL, .min = 1, .help = "the most that a client may ask for, as in /etc/glovebox/policy.d"},
	{"egress", 0, "LIST", GROUP_NETWORK, FACE_RUN, SETTING_LIST, offsetof(struct engine_flags, egress), NULL, .words = "nothing", .repeated = true, .help = "what each container may reach, as of run (docs/network.md)"},
	{"allow-private", 0, "NAME,...", GROUP_NETWORK, FACE_RUN, SETTING_LIST, offsetof(struct engine_flags, private_names), NULL, .repeated = true, .help = "these names of the list may have private addresses"},
	{"allow-host", 0, "PORT,...", GROUP_NETWORK, FACE_RUN, SETTING_LIST, offsetof(struct engine_flags, host_ports), NULL, .repeated = true, .help = "ports of this machine's loopback, as host.docker.internal"},
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

static void engine_flags_fini(struct engine_flags *flags)
{
	list_fini(&flags->egress);
	list_fini(&flags->private_names);
	list_fini(&flags->host_ports);
}

/* Append the lists as flags of `create`. Refuse now what would refuse each container. */
static int engine_take_lists(const struct engine_flags *flags, struct list *words, struct err *e)
{
	struct sandbox_spec spec;
	int bad = 0;

	spec_init(&spec);
	for (size_t i = 0; i < sizeof(engine_lists) / sizeof(engine_lists[0]); i++) {
		const struct engine_list *row = &engine_lists[i];
		const struct list *l = (const struct list *)((const char *)flags + row->offset);

		for (size_t k = 0; !bad && k < l->count; k++) {
			bad = row->parse(&spec, l->items[k], e) ? err_prefix(e, "%s", row->flag)
								: 0;
			list_addf(words, "%s=%s", row->flag, l->items[k]);
		}
	}
	bad = bad || policy_apply_to_spec(&spec, e) || egress_finish(&spec, e) ? -1 : 0;
	spec_fini(&spec);
	return bad;
}

int command_engine(int argc, char **argv)
{
	__attribute__((cleanup(engine_flags_fini))) struct engine_flags flags = {0};
	auto_list struct list words = {0};
	auto_free char **vector = NULL;
	auto_free char *where = NULL;
	struct err e;

	if (words_read(argc, argv, engine_settings, &flags, 0, 0, &e) < 0)
		return fail_with_help(&e, "engine");
	list_add(&words, argv[0]);
	list_add(&words, "engine");
	where = flags.listen ? own_strdup(flags.listen) : engine_default(&e);
	if (!where)
		return fail_with(&e);
	list_add(&words, where);
	if (engine_take_ceiling(flags.ceiling, &e) || engine_take_lists(&flags, &words, &e))
		return fail_with(&e);
	vector = own_zeroed(words.count + 1, sizeof(*vector));
	memcpy(vector, words.items, words.count * sizeof(*vector));
	scope_enter();
	return exec_sibling("glovebox-serve", (int)words.count, vector);
}
