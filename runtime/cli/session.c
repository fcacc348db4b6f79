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
#include "base/say.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/presentation.h"
#include "cli/scope.h"
#include "cli/session_command.h"
#include "cli/words.h"
#include "client/client.h"
#include "client/network.h"
#include "flags/repl_settings.h"
#include "flags/setting_words.h"
#include "monitor/session_kept.h"
#include "service/notebook_wait.h"
#include "session/session_spec.h"

struct new_options {
	struct session_terms terms;
	bool restore;
	const char *image; /* --image, as for `warm start` and the prompt */
};

static int session_make_spec(int argc, char **argv, const struct new_options *o,
			     struct sandbox_spec *spec, struct err *e)
{
	if (argc + (o->image != NULL) > 1)
		return err_input(e, "session new takes an image and nothing after it");
	return session_spec_finish(spec, argc == 1 ? argv[0] : o->image, e);
}

static const char *session_name_of(struct sandbox_spec *spec)
{
	uint32_t random = 0;

	if (spec->name)
		return spec->name;
	random_bytes(&random, sizeof(random));
	return spec_printf(spec, "s%08x", random);
}

/* A session whose name could not be printed is useless: end it. */
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
	{"image", 0, "IMAGE", GROUP_PROGRAM, FACE_SESSION, SETTING_TEXT, offsetof(struct new_options, image), NULL, .min = 1, .words = "that of the warm supervisor", .help = "the same as IMAGE"},
	{"idle", 0, "DURATION", GROUP_PROGRAM, FACE_SESSION, SETTING_DURATION, offsetof(struct new_options, terms.idle_ms), "1h", .min = 1, .max = DURATION_MAX, .help = "end the session after this long without use"},
	{"ttl", 0, "DURATION", GROUP_PROGRAM, FACE_SESSION, SETTING_DURATION, offsetof(struct new_options, terms.ttl_ms), "24h", .min = 1, .max = DURATION_MAX, .help = "end it after this long in all, even in the middle of a call"},
	{"restore", 0, NULL, GROUP_PROGRAM, FACE_SESSION, SETTING_FLAG, offsetof(struct new_options, restore), NULL, .help = "with --name: begin with the files that a session of this name had when it hibernated"},
	SETTING_END,
};
/* clang-format on */

static struct settings session_new_settings(struct sandbox_spec *spec, struct presentation *show,
					    struct new_options *options)
{
	struct settings settings = presentation_settings(spec, show);

	settings.face = settings.needs = FACE_SESSION;
	settings.unfit = "for runs, not for sessions";
	settings.grammar |= WORDS_ANYWHERE;
	settings.tables[3] = (struct setting_table){new_settings, options, NULL};
	return settings;
}

struct settings session_new_all_settings(void)
{
	return session_new_settings(NULL, NULL, NULL);
}

/* Returns the index of the operands, or -1. */
static int session_read_flags(int argc, char **argv, struct sandbox_spec *spec,
			      struct new_options *options, struct err *e)
{
	struct presentation unused = {0}; /* its rows are refused by name */
	struct settings settings = session_new_settings(spec, &unused, options);
	int used;

	setting_defaults(&settings.tables[3], NULL);
	return setting_words(&settings, argc - 1, argv + 1, &used, e) ? -1 : used + 1;
}

/* The file of what is restored; @out: owned, -1: nothing is. */
static int session_find_kept(const struct sandbox_spec *spec, const struct new_options *o, int *out,
			     struct err *e)
{
	if (!o->restore)
		return 0;
	if (!spec->name)
		return err_input(e, "--restore needs --name: that of a session that hibernated");
	*out = session_kept_open(spec->name, e);
	return *out < 0 ? -1 : 0;
}

/* Files of an earlier session of the name are there, and nobody has asked for them. */
static void session_tell_kept(const struct sandbox_spec *spec, const struct new_options *o)
{
	if (!o->restore && spec->name && session_kept_has(spec->name))
		fprintf(stderr,
			"glovebox: %s has hibernated before: session new --restore begins with "
			"its files, the next hibernate replaces them\n",
			spec->name);
}

/* A session without all of its files is none: what is kept stays. */
static int session_restore(const char *name, int kept, struct err *e)
{
	struct err ignored;

	if (kept < 0 || session_kept_restore(name, kept, e) >= 0)
		return 0;
	(void)client_drop(NULL, name, &ignored);
	return err_prefix(e, "restore the files of %.100s", name);
}

static int session_new_session(int argc, char **argv, struct sandbox_spec *spec, struct err *e)
{
	auto_fd int kept = -1;
	struct new_options options = {0};
	auto_buf struct buf published = {0};
	struct notebook_request request = {
		.action = NOTEBOOK_BEGIN, .begin = {.spec = spec, .published = &published}
        };
	const struct notebook_wait wait = {.signal_fd = -1};
	struct notebook_result result = {0};
	int at = session_read_flags(argc, argv, spec, &options, e);
	int bad;

	if (at < 0 || session_make_spec(argc - at, argv + at, &options, spec, e) ||
	    session_find_kept(spec, &options, &kept, e))
		return -1;
	request.name = session_name_of(spec);
	request.begin.life = options.terms;
	bad = notebook_wait(&request, &wait, &result, e);
	notebook_result_fini(&result);
	if (bad && kept >= 0 && e->kind == ERR_EXISTS)
		err_set(e, ERR_EXISTS,
			"the session %.63s is there: glovebox session thaw %.63s lets it go on "
			"(session rm removes the kept files, too)",
			request.name, request.name);
	network_say_published(&published, our_name());
	if (bad || session_restore(request.name, kept, e))
		return -1;
	session_tell_kept(spec, &options);
	return session_print_name(request.name, e);
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

/* A separate program, because only that one needs a line editor (repl/). */
static int session_repl(int argc, char **argv)
{
	scope_enter(); /* it may start a supervisor */
	return exec_sibling("glovebox-repl", argc, argv);
}

struct settings session_repl_all_settings(void)
{
	return repl_all_settings(NULL, NULL);
}

/* -- checkpoints, rm ------------------------------------------------------------------------- */

static void session_print_checkpoints(const struct form_list *list)
{
	const struct listed_checkpoint *items = list->items;

	printf("%-*s %s\n", LISTING_NAME_WIDTH, "CHECKPOINT", "AGE");
	for (unsigned i = 0; i < list->count; i++) {
		say_column(stdout, LISTING_NAME_WIDTH, items[i].name);
		putchar(' ');
		listing_print_age(items[i].age_ms, 0);
		putchar('\n');
	}
}

static int session_checkpoints(int argc, char **argv)
{
	auto_buf struct buf text = {0};
	struct op_answer answer;
	bool json;
	struct err e;
	int left = listing_read(argc, argv, &json, &e);

	if (left >= 0 && left != 2)
		left = err_input(&e, "session checkpoints [--json] NAME");
	if (left < 0 || client_checkpoints(NULL, argv[1], &answer, &e))
		return fail_with(&e);
	if (json) {
		form_write(&operations[OP_CHECKPOINTS].answer, NULL, &answer.checkpoints, &text);
		puts(buf_string(&text));
	} else {
		session_print_checkpoints(&answer.checkpoints.checkpoints);
	}
	op_answer_fini(&answer);
	return 0;
}

/* clang-format off */
static const struct setting session_rm_settings[] = {
	{"force", 'f', NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: a session is ended in any case"},
	SETTING_END,
};
/* clang-format on */

static int session_rm(int argc, char **argv)
{
	struct err e;
	int status = 0;
	int at = words_read(argc, argv, session_rm_settings, NULL, 0, WORDS_ANY, &e);

	if (at == argc)
		at = err_input(&e, "session rm NAME...");
	if (at < 0)
		return fail_with(&e);
	for (int i = at; i < argc; i++) {
		if (!session_kept_end(argv[i], &e))
			continue;
		fail_with(&e);
		/* The session has ended by itself: the caller wanted that. */
		if (e.kind != ERR_GONE)
			status = EXIT_OURS;
	}
	return status;
}

/* clang-format off */
const struct command session_commands[] = {
	{"new",        "session new [FLAGS] [FLAGS OF RUN] [IMAGE]", "start a session and print its name; --name chooses the name", session_new, .settings = new_settings, .all = session_new_all_settings, .operands = OPERANDS_IMAGE},
	{"exec",       "session exec [FLAGS] NAME [CODE|-]", "run Python in a session", session_exec, .settings = session_exec_settings, .operands = OPERANDS_SESSION},
	{"repl",       "session repl [FLAGS] [FLAGS OF RUN] [NAME]", "a Python prompt on a session; without NAME on one of its own, which ends with it", session_repl, .settings = repl_settings, .all = session_repl_all_settings, .operands = OPERANDS_SESSION},
	{"ls",         "session ls [--json]", "list the sessions", session_ls, .settings = listing_settings},
	{"rm",         "session rm [FLAGS] NAME...", "end sessions, and remove what was kept of them", session_rm, .settings = session_rm_settings, .operands = OPERANDS_SESSIONS},
	{"files",      "session files [--json] NAME [DIRECTORY]", "list the files in /workspace", session_files, .settings = listing_settings, .operands = OPERANDS_SESSION},
	{"put",        "session put NAME FILE|- PATH", "copy a file in", session_put, .operands = OPERANDS_SESSION},
	{"get",        "session get NAME PATH FILE|-", "copy a file out", session_get, .operands = OPERANDS_SESSION},
	{"delete",     "session delete NAME PATH", "remove a file or directory", session_delete, .operands = OPERANDS_SESSION},
	{"checkpoint", "session checkpoint [--json] NAME [CHECKPOINT]", "remember variables and files; without a name as the checkpoint \"default\"", session_checkpoint_command, .settings = session_checkpoint_settings, .operands = OPERANDS_SESSION},
	{"checkpoints", "session checkpoints [--json] NAME", "list the checkpoints, the oldest first", session_checkpoints, .settings = listing_settings, .operands = OPERANDS_SESSION},
	{"rollback",   "session rollback [--force] NAME [CHECKPOINT]", "return to a checkpoint, any number of times; without a name to \"default\"", session_rollback_command, .settings = session_rollback_settings, .operands = OPERANDS_CHECKPOINT},
	{"egress",     "session egress [FLAGS] NAME [LIST]", "replace the list of hosts that a session may reach; none: nothing; without LIST print it", session_egress, .settings = session_egress_settings, .operands = OPERANDS_SESSION},
	{"freeze",     "session freeze NAME", "stop the session and swap it out; the next call thaws it", session_freeze_command, .operands = OPERANDS_SESSION},
	{"thaw",       "session thaw NAME", "let a frozen session continue", session_thaw_command, .operands = OPERANDS_SESSION},
	{.name = NULL},
};
/* clang-format on */

int command_session(int argc, char **argv)
{
	return run_subcommand(session_commands, argc, argv);
}
