/*
 * session - `glovebox session`: interpreters that live from command to command.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/random.h"
#include "cli/command.h"
#include "cli/presentation.h"
#include "cli/session_command.h"
#include "client/client.h"
#include "client/session.h"
#include "spec/setting_words.h"

#define WORKSPACE "/workspace"

static int session_default_image(struct sandbox_spec *spec, struct err *e)
{
	struct op_answer answer;

	if (client_ask_once(NULL, OP_STATUS, NULL, &answer, e))
		return -1;
	spec->image = spec_strdup(spec, answer.status.image);
	op_answer_fini(&answer);
	return 0;
}

static int session_check_for_session(const struct sandbox_spec *spec, struct err *e)
{
	if (spec->warm == WARM_NEVER)
		return err_input(e, "--warm=never is for runs, not for sessions");
	for (size_t i = 0; i < spec->mount_count; i++) {
		if (!strcmp(spec->mounts[i].target, WORKSPACE))
			return err_input(e, WORKSPACE
					 " is the session's own: mount below it, or "
					 "elsewhere");
	}
	return 0;
}

static int session_make_spec(int argc, char **argv, struct sandbox_spec *spec, struct err *e)
{
	struct mount_spec *workspace;
	auto_free char *reference = NULL;

	if (session_check_for_session(spec, e))
		return -1;
	if (argc > 1)
		return err_input(e, "session new takes an image and nothing after it");
	if (argc == 1) {
		if (image_reference(argv[0], &reference, e))
			return -1;
		spec->image = spec_strdup(spec, reference);
	} else if (session_default_image(spec, e)) {
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

static const char *session_name_of(struct sandbox_spec *spec)
{
	uint32_t random = 0;

	if (spec->name)
		return spec->name;
	random_bytes(&random, sizeof(random));
	return spec_printf(spec, "s%08x", random);
}

/* A session whose name could not be printed is of no use. */
static int session_print_name(const char *name, struct err *e)
{
	struct err ignored;

	if (puts(name) != EOF && !fflush(stdout))
		return 0;
	err_sys(e, "write the name of the session");
	clearerr(stdout);
	(void)client_drop(NULL, name, &ignored);
	return -1;
}

/* clang-format off */
static const struct setting new_settings[] = {
	{"idle", 0, "DURATION", GROUP_PROGRAM, FACE_SESSION, SETTING_DURATION, offsetof(struct session_terms, idle_ms), "1h", .min = 1, .max = DURATION_MAX, .help = "end the session after this long without use"},
	{"ttl", 0, "DURATION", GROUP_PROGRAM, FACE_SESSION, SETTING_DURATION, offsetof(struct session_terms, ttl_ms), "24h", .min = 1, .max = DURATION_MAX, .help = "end it after this long in all, even in the middle of a call"},
	SETTING_END,
};
/* clang-format on */

/* Returns where the operands are, or -1. */
static int session_read_flags(int argc, char **argv, struct sandbox_spec *spec,
			      struct session_terms *terms, struct err *e)
{
	struct presentation unused = {0}; /* its rows are refused by name */
	struct settings settings = presentation_settings(spec, &unused);
	int used;

	settings.face = settings.needs = FACE_SESSION;
	settings.unfit = "for runs, not for sessions";
	settings.grammar |= WORDS_ANYWHERE;
	settings.tables[2] = (struct setting_table){new_settings, terms, NULL};
	setting_defaults(&settings.tables[2], NULL);
	return setting_words(&settings, argc - 1, argv + 1, &used, e) ? -1 : used + 1;
}

static int session_new_session(int argc, char **argv, struct sandbox_spec *spec, struct err *e)
{
	struct session_terms terms = {0};
	struct session session;
	struct sandbox sandbox;
	const char *name;
	int at = session_read_flags(argc, argv, spec, &terms, e);
	int bad;

	if (at < 0 || session_make_spec(argc - at, argv + at, spec, e) ||
	    sandbox_open(spec, &sandbox, e))
		return -1;
	name = session_name_of(spec);
	bad = session_start(NULL, &sandbox, &session, e);
	if (!bad) {
		bad = client_keep(NULL, name, &session, &terms, e);
		(bad ? session_end : session_close)(&session);
	}
	sandbox_destroy(&sandbox);
	return bad || session_print_name(name, e) ? -1 : 0;
}

static int session_new(int argc, char **argv)
{
	struct sandbox_spec spec;
	struct err e;
	int bad;

	spec_init(&spec);
	bad = session_new_session(argc, argv, &spec, &e);
	spec_fini(&spec);
	return bad ? fail_with_help(&e, "session") : 0;
}

/* -- ls, rm ---------------------------------------------------------------------------------- */

static void session_add_page(const struct form_list *page, struct buf *out)
{
	const struct session_entry *entries = page->items;

	for (unsigned i = 0; i < page->count; i++)
		form_write(&session_entry_form, NULL, &entries[i], out);
}

static int session_ls(int argc, char **argv)
{
	struct sessions_request request = {0};
	auto_buf struct buf list = {0};
	struct op_answer answer;
	struct err e;
	int bad = no_arguments(argc, argv);

	if (bad)
		return bad;
	json_put_begin(&list, NULL, '{');
	json_put_begin(&list, "sessions", '[');
	do {
		if (client_ask_once(NULL, OP_SESSIONS, &request, &answer, &e))
			return fail_with(&e);
		session_add_page(&answer.sessions.sessions, &list);
		request.after = answer.sessions.after;
		op_answer_fini(&answer);
	} while (request.after);
	json_put_end(&list, ']');
	json_put_end(&list, '}');
	puts(buf_string(&list));
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
		if (client_drop(NULL, argv[i], &e))
			status = fail_with(&e);
	}
	return status;
}

/* clang-format off */
const struct command session_commands[] = {
	{"new",        "session new [FLAGS] [FLAGS OF RUN] [IMAGE]", "start a session and print its name; --name chooses the name", session_new, NULL, new_settings},
	{"exec",       "session exec [FLAGS] NAME [CODE|-]", "run Python in a session", session_exec, NULL, session_exec_settings},
	{"ls",         "session ls", "list the sessions, as JSON", session_ls, NULL, NULL},
	{"rm",         "session rm NAME...", "end sessions", session_rm, NULL, NULL},
	{"files",      "session files NAME [DIRECTORY]", "list the files in /workspace, as JSON", session_files, NULL, NULL},
	{"put",        "session put NAME FILE|- PATH", "copy a file in", session_put, NULL, NULL},
	{"get",        "session get NAME PATH FILE|-", "copy a file out", session_get, NULL, NULL},
	{"delete",     "session delete NAME PATH", "remove a file or directory", session_delete, NULL, NULL},
	{"checkpoint", "session checkpoint NAME [CHECKPOINT]", "remember variables and files", session_checkpoint_command, NULL, NULL},
	{"rollback",   "session rollback NAME [CHECKPOINT]", "return to a checkpoint, any number of times", session_rollback_command, NULL, NULL},
	{"freeze",     "session freeze NAME", "stop the session and swap it out; the next call thaws it", session_freeze_command, NULL, NULL},
	{"thaw",       "session thaw NAME", "let a frozen session continue", session_thaw_command, NULL, NULL},
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
