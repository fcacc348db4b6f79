/*
 * session - `glovebox session`: interpreters that live from command to command.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/own.h"
#include "cell/client.h"
#include "cell/session.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/session_command.h"
#include "spec/setting.h"

#define WORKSPACE "/workspace"

static int default_image(struct sandbox_spec *spec, struct err *e)
{
	auto_buf struct buf request = {0};
	auto_fd int socket = -1;
	struct wire_message answer;
	struct json *json;
	const char *image = NULL;

	buf_text(&request, "{\"op\":\"status\"}");
	if (client_connect(&socket, e) || client_ask(socket, &request, NULL, 0, &answer, &json, e))
		return -1;
	if (!json_get_string(json, "image", &image, e) && image)
		spec->image = spec_strdup(spec, image);
	json_free(json);
	wire_fini(&answer);
	return spec->image ? 0 : err_set(e, ERR_SYSTEM, "the warm supervisor names no image");
}

/* Flags of runs that a session could not honour: the first that was given. */
static const char *unfit_flag(const struct sandbox_spec *s)
{
	const struct {
		const char *flag;
		bool given;
	} flags[] = {
		{"--cidfile",      s->cidfile != NULL       },
		{"--label",        s->labels.count > 0      },
		{"--entrypoint",   s->entrypoint != NULL    },
		{"--stop-signal",  s->stop_signal != SIGTERM},
		{"--stop-timeout", s->stop_timeout_ms > 0   },
		{"--quiet",        s->quiet                 },
		{"--warm=never",   s->warm == WARM_NEVER    },
		{"--code",         s->code_file != NULL     },
		{"--json",         s->json                  },
		{"--result-file",  s->result_file != NULL   },
		{"--explain",      s->explain               },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (flags[i].given)
			return flags[i].flag;
	}
	return NULL;
}

/* What is a matter of each call. */
static int check_bounds(const struct sandbox_spec *spec, struct err *e)
{
	struct sandbox_spec defaults;
	uint64_t output_bytes;

	spec_init(&defaults);
	output_bytes = defaults.limits.output_bytes;
	spec_fini(&defaults);
	if (spec->limits.wall_time_ms != SPEC_UNLIMITED)
		return err_input(e,
				 "--timeout is for runs: give it to glovebox session exec; "
				 "--ttl ends a session");
	if (spec->limits.output_bytes != output_bytes)
		return err_input(e, "--output-limit is for runs: give it to glovebox session exec");
	return 0;
}

static int check_for_session(const struct sandbox_spec *spec, struct err *e)
{
	const char *unfit = unfit_flag(spec);

	if (spec->tty || spec->interactive)
		return err_input(e,
				 "-i and -t are for runs: a session's code has no standard input");
	if (unfit)
		return err_input(e, "%s is for runs, not for glovebox session new", unfit);
	if (check_bounds(spec, e))
		return -1;
	for (size_t i = 0; i < spec->mount_count; i++) {
		if (!strcmp(spec->mounts[i].target, WORKSPACE))
			return err_input(e, WORKSPACE
					 " is the session's own: mount below it, or "
					 "elsewhere");
		if (spec->mounts[i].kind == MOUNT_STAGE)
			return err_input(e,
					 "--output is for runs: take files with glovebox session "
					 "get, or mount a directory with -v");
	}
	return 0;
}

static int make_spec(int argc, char **argv, struct sandbox_spec *spec, struct err *e)
{
	struct mount_spec *workspace;
	auto_free char *reference = NULL;
	int used;

	if (setting_parse(run_settings, argc - 1, argv + 1, &used, spec, e) ||
	    check_for_session(spec, e))
		return -1;
	if (argc - 1 - used > 1)
		return err_input(e, "session new takes an image and nothing after it");
	if (argc - 1 - used == 1) {
		if (image_reference(argv[1 + used], &reference, e))
			return -1;
		spec->image = spec_strdup(spec, reference);
	} else if (default_image(spec, e)) {
		return -1;
	}
	spec->entrypoint = spec_strdup(spec, "");
	spec_list_add(spec, &spec->command, "python3");
	if (!spec->workdir)
		spec->workdir = spec_strdup(spec, WORKSPACE);
	workspace = spec_add_mount(spec, MOUNT_STAGE, WORKSPACE);
	workspace->size_bytes = WORKSPACE_BYTES;
	workspace->inodes = 65536;
	workspace->mode = 0755;
	workspace->uid = workspace->gid = -1;
	return spec_finish(spec, e);
}

static const char *name_of(struct sandbox_spec *spec)
{
	uint32_t random = 0;

	if (spec->name)
		return spec->name;
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		abort();
	return spec_printf(spec, "s%08x", random);
}

static int drop_session(const char *name, struct err *e)
{
	auto_buf struct buf request = {0};
	auto_fd int socket = -1;
	struct wire_message answer;
	struct json *json;

	buf_text(&request, "{\"op\":\"drop\",\"name\":");
	buf_json_text(&request, name);
	buf_text(&request, "}");
	if (client_connect(&socket, e) || client_ask(socket, &request, NULL, 0, &answer, &json, e))
		return -1;
	json_free(json);
	wire_fini(&answer);
	return 0;
}

/* A session whose name nobody has learned is of no use to anybody. */
static int print_name(const char *name, struct err *e)
{
	struct err ignored;

	if (puts(name) != EOF && !fflush(stdout))
		return 0;
	err_sys(e, "write the name of the session");
	clearerr(stdout);
	(void)drop_session(name, &ignored);
	return -1;
}

struct new_options {
	const char *idle;
	const char *ttl;
};

/* clang-format off */
static const struct option new_options[] = {
	{"--idle", "DURATION", offsetof(struct new_options, idle), "end it after so long without use [1h]"},
	{"--ttl", "DURATION", offsetof(struct new_options, ttl), "and after so long in all, in the middle of a call too [24h]"},
	{NULL, NULL, 0, NULL},
};
/* clang-format on */

static int new_session(int argc, char **argv, struct sandbox_spec *spec, struct err *e)
{
	struct new_options o = {.idle = "1h", .ttl = "24h"};
	struct session_terms terms = {0};
	struct session session;
	struct sandbox sandbox;
	const char *name;
	int bad;

	if (options_split(new_options, &o, &argc, argv, e) ||
	    option_duration(o.idle, "--idle", &terms.idle_ms, e) ||
	    option_duration(o.ttl, "--ttl", &terms.ttl_ms, e) || make_spec(argc, argv, spec, e) ||
	    sandbox_open(spec, &sandbox, e))
		return -1;
	name = name_of(spec);
	bad = session_start(&sandbox, &session, e);
	if (!bad) {
		bad = client_keep(name, &session, &terms, e);
		session_close(&session);
	}
	sandbox_destroy(&sandbox);
	return bad || print_name(name, e) ? -1 : 0;
}

static int session_new(int argc, char **argv)
{
	struct sandbox_spec spec;
	struct err e;
	int bad;

	spec_init(&spec);
	bad = new_session(argc, argv, &spec, &e);
	spec_fini(&spec);
	return bad ? fail_with(&e) : 0;
}

/* -- ls, rm
 * ------------------------------------------------------------------------------------------------
 */

static int session_ls(int argc, char **argv)
{
	static char text[] = "{\"op\":\"sessions\"}";
	const struct buf request = {.data = text, .length = sizeof(text) - 1};
	auto_fd int socket = -1;
	struct wire_message answer;
	struct json *json;
	struct err e;
	int bad = no_arguments(argc, argv);

	if (bad)
		return bad;
	if (client_connect(&socket, &e) ||
	    client_ask(socket, &request, NULL, 0, &answer, &json, &e))
		return fail_with(&e);
	puts(buf_string(&answer.text));
	json_free(json);
	wire_fini(&answer);
	return 0;
}

static int session_rm(int argc, char **argv)
{
	struct err e;
	int status = 0;

	if (argc < 2) {
		err_input(&e, "session rm NAME...");
		return fail_with(&e);
	}
	for (int i = 1; i < argc; i++) {
		if (drop_session(argv[i], &e))
			status = fail_with(&e);
	}
	return status;
}

/* clang-format off */
const struct command session_commands[] = {
	{"new",        "session new [FLAGS] [FLAGS OF RUN] [IMAGE]", "start one; prints its name, which --name chooses", session_new, NULL, new_options},
	{"exec",       "session exec [FLAGS] NAME [CODE|-]", "run Python in it", session_exec, NULL, session_exec_options},
	{"ls",         "session ls", "list them, as JSON", session_ls, NULL, NULL},
	{"rm",         "session rm NAME...", "end them", session_rm, NULL, NULL},
	{"files",      "session files NAME [DIRECTORY]", "list what is in /workspace, as JSON", session_files, NULL, NULL},
	{"put",        "session put NAME FILE|- PATH", "copy a file in", session_put, NULL, NULL},
	{"get",        "session get NAME PATH FILE|-", "copy a file out", session_get, NULL, NULL},
	{"delete",     "session delete NAME PATH", "remove a file or directory", session_delete, NULL, NULL},
	{"checkpoint", "session checkpoint NAME [CHECKPOINT]", "remember variables and files", session_checkpoint_command, NULL, NULL},
	{"rollback",   "session rollback NAME [CHECKPOINT]", "return to them, any number of times", session_rollback_command, NULL, NULL},
	{"freeze",     "session freeze NAME", "stop all of it, and swap it out; the next call thaws it", session_freeze_command, NULL, NULL},
	{"thaw",       "session thaw NAME", "let it go on", session_thaw_command, NULL, NULL},
	{NULL, NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

int command_session(int argc, char **argv)
{
	return run_subcommand(
		session_commands, argc, argv,
		"session takes one of: new, exec, ls, rm, files, put, get, delete, checkpoint, "
		"rollback, freeze, thaw");
}
