/*
 * kept - `wait`, `pause`, `unpause`, `rename`, `rm` and `container prune`: sandboxes that stay,
 * and what is kept of those that have ended.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/session_command.h"
#include "cli/words.h"
#include "container/kept.h"
#include "container/kill.h"
#include "container/named.h"
#include "loop/clock.h"
#include "monitor/ask.h"
#include "monitor/program_ask.h"
#include "monitor/renaming.h"
#include "monitor/session_kept.h"
#include "record/record_remove.h"

struct rm_flags {
	bool force;
};

/* clang-format off */
const struct setting rm_settings[] = {
	{"force", 'f', NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, offsetof(struct rm_flags, force), NULL, .help = "kill it first, if it runs"},
	{"volumes", 'v', NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: a volume by name stays, and there are no others"},
	SETTING_END,
};

const struct setting prune_settings[] = {
	{"force", 'f', NULL, GROUP_DOCKER, FACE_RUN, SETTING_FLAG, offsetof(struct rm_flags, force), NULL, .help = "accepted: nothing is asked"},
	SETTING_END,
};
/* clang-format on */

/* -- wait ------------------------------------------------------------------------------------ */

static int kept_wait(void *context, const char *word, struct err *e)
{
	auto_record struct record r = {.dir = -1};
	struct err ignored;
	uint32_t number;
	int code;

	(void)context;
	if (named_find_program("wait", word, &r, &number, e) ||
	    (number && program_await_end(&r, number, &code, e)))
		return -1;
	if (number)
		return printf("%d\n", code), 1;
	if (r.state == RECORD_CREATED)
		return err_set(e, ERR_GONE, "%.100s has not been started: start %.100s", word,
			       word);
	if (r.state == RECORD_EXITED || ask_await_end(&r, &code, e)) {
		/* A monitor that does not answer may have been ending: then the record says how. */
		if (record_await_end(&r, monotonic_us() + KILL_END_S * 1000000, &ignored) &&
		    r.state != RECORD_EXITED)
			return -1;
		code = record_exit_code(&r);
	}
	if (code < 0)
		return err_set(e, ERR_GONE, "%.100s was lost: its monitor was killed", word);
	printf("%d\n", code);
	return 1;
}

int command_wait(int argc, char **argv)
{
	struct err e;
	int at = words_read(argc, argv, NULL, NULL, 1, WORDS_ANY, &e);

	return at < 0 ? fail_with(&e) : words_each(argc, argv, at, kept_wait, NULL);
}

/* -- pause, unpause -------------------------------------------------------------------------- */

int kept_order(const struct record *r, const char *op, struct err *e)
{
	const struct monitor_request request = {.op = op};
	struct monitor_answer answer = {0};
	int bad = ask_once(r, &request, &answer, e);

	form_fini(&monitor_answer_form, &answer);
	return bad;
}

/* @context  the command's name, which is that of the request. */
static int kept_pause(void *context, const char *word, struct err *e)
{
	auto_record struct record r = {.dir = -1};

	if (record_find(word, &r, e)) {
		const bool goes_on = !strcmp(context, "unpause") && e->kind == ERR_NOT_FOUND;

		return goes_on && named_is_session(word) ? session_thaw(word, e)
							 : named_explain(context, word, e);
	}
	return kept_order(&r, context, e) ? err_prefix(e, "%.100s", record_name(&r)) : 0;
}

int command_pause(int argc, char **argv)
{
	struct err e;
	int at = words_read(argc, argv, NULL, NULL, 1, WORDS_ANY, &e);

	return at < 0 ? fail_with(&e) : words_each(argc, argv, at, kept_pause, argv[0]);
}

/* -- rename ---------------------------------------------------------------------------------- */

int command_rename(int argc, char **argv)
{
	struct err e;
	int at = words_read(argc, argv, NULL, NULL, 2, 2, &e);

	if (at < 0)
		return fail_with(&e);
	if (!renaming_ask(argv[at], argv[at + 1] + (*argv[at + 1] == '/'), &e))
		return 0;
	(void)named_explain(argv[0], argv[at], &e);
	return fail_as_daemon(&e);
}

/* -- rm, prune ------------------------------------------------------------------------------- */

/* One that lives, or of which files are kept. */
static bool kept_is_session(const char *word)
{
	return !invoked_as_docker() && (named_is_session(word) || session_kept_has(word));
}

static int kept_remove(const char *word, bool force, struct err *e)
{
	auto_record struct record r = {.dir = -1};
	bool killed;
	int bad;

	if (record_find(word, &r, e)) {
		/* A run that does not stay has no record; what ends it removes all of it. */
		if (e->kind == ERR_NOT_FOUND && kept_is_session(word))
			return session_kept_end(word, e);
		if (e->kind == ERR_NOT_FOUND && force)
			return kill_at_once(word, e);
		return named_explain("rm", word, e);
	}
	killed = force && record_runs(&r);
	if (killed && kill_kept_at_once(&r, e))
		return -1;
	bad = record_remove(&r, e);
	/* The monitor removes the record of a --rm sandbox at its end. */
	return bad && killed && e->kind == ERR_NOT_FOUND ? 0 : bad;
}

static int kept_remove_each(void *context, const char *word, struct err *e)
{
	const struct rm_flags *flags = context;
	int bad = kept_remove(word, flags->force, e);

	if (!bad || !flags->force || e->kind != ERR_NOT_FOUND)
		return bad;
	/* docker rm -f is content when there is nothing to remove. */
	(void)fail_as_daemon(e);
	return 1;
}

int command_rm(int argc, char **argv)
{
	struct rm_flags flags = {0};
	struct err e;
	int at = words_read(argc, argv, rm_settings, &flags, 1, WORDS_ANY, &e);

	return at < 0 ? fail_with(&e) : words_each(argc, argv, at, kept_remove_each, &flags);
}

static void kept_prune(void *context, const struct record *r)
{
	int *status = context;
	struct err e;

	if (record_runs(r))
		return;
	if (record_remove(r, &e))
		*status = fail_as_daemon(&e);
	else
		puts(r->id);
}

int command_prune(int argc, char **argv)
{
	struct rm_flags flags = {0};
	struct err e;
	int at = words_read(argc, argv, prune_settings, &flags, 0, 0, &e);
	int status = 0;

	if (at < 0 || record_each(kept_prune, &status, &e))
		return fail_with(&e);
	record_sweep();
	return status;
}
