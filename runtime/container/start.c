/*
 * start - `start` and `restart`: start a sandbox that has stayed, and ended, anew.
 *
 * Its command line is read again, in the directory in which it was said: files that it names are
 * read as they are now, and its image is the one that has the name now. Its variables are those
 * that it had. Nothing that it kept in memory comes back. One that hibernates goes on.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/session_command.h"
#include "cli/words.h"
#include "container/kept.h"
#include "container/kill.h"
#include "container/logs.h"
#include "container/named.h"
#include "loop/clock.h"
#include "record/event.h"
#include "record/record.h"

struct start_flags {
	bool attach;
	bool interactive;
	uint64_t time_s;
	bool again; /* restart: end it first */
	int status; /* of the last that failed, which has been printed */
};

/* clang-format off */
const struct setting start_settings[] = {
	{"attach", 'a', NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, offsetof(struct start_flags, attach), NULL, .help = "print what it prints, and exit as it does"},
	{"interactive", 'i', NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, offsetof(struct start_flags, interactive), NULL, .help = "the same, and pass standard input to it"},
	{"detach-keys", 0, "KEYS", GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: no keys detach"},
	SETTING_END,
};

const struct setting restart_settings[] = {
	{"time", 't', "SECONDS", GROUP_PROGRAM, FACE_RUN, SETTING_COUNT, offsetof(struct start_flags, time_s), NULL, .max = 86400, .words = "--stop-timeout of the run, or 10", .help = "kill it when it has not ended by then"},
	{"timeout", 0, "SECONDS", GROUP_DOCKER, FACE_RUN, SETTING_COUNT, offsetof(struct start_flags, time_s), NULL, .max = 86400, .help = "the same"},
	SETTING_END,
};
/* clang-format on */

/* The variables as they were, in place of those that the words name. */
static void start_set_variables(struct sandbox_spec *spec, const struct list *env)
{
	spec->env_file = (struct string_list){0};
	spec->env = (struct string_list){0};
	for (size_t i = 0; i < env->count; i++)
		spec_list_add(spec, &spec->env, env->items[i]);
}

int start_parse(const struct record *r, const struct list *later, struct list *words,
		struct sandbox_spec *spec, struct presentation *show, struct err *e)
{
	const char *directory = json_string_at(r->what, "directory");
	const bool docker = invoked_as_docker();
	auto_list struct list own = {0};
	int bad;

	if (list_from_json(words, r->what, "words", e) || (!later && update_flags(r, &own, e)))
		return -1;
	if (!words->count || !directory)
		return err_input(e, "the record of %.100s has no command line", record_name(r));
	if (chdir(directory))
		return err_sys(e, "enter %.300s, where %.100s was first started", directory,
			       record_name(r));
	spec->stays = true; /* `create` says no -d */
	invoke_as_docker(json_is_true(json_get(r->what, "docker")));
	bad = run_parse((int)words->count, words->items, later ? later : &own, spec, show, e);
	invoke_as_docker(docker);
	return bad;
}

static int start_read(const struct record *r, struct list *words, struct sandbox_spec *spec,
		      struct presentation *show, struct err *e)
{
	auto_list struct list env = {0};

	if (record_lock_update(r, e) || list_from_json(&env, r->what, "env", e) ||
	    start_parse(r, NULL, words, spec, show, e))
		return -1;
	if (spec->code_file && !strcmp(spec->code_file, "-"))
		return err_input(e,
				 "%.100s had its code from standard input, which is gone: run it "
				 "anew",
				 record_name(r));
	start_set_variables(spec, &env);
	return 0;
}

/* Returns the exit status; the reason of a failure is printed. */
static int start_anew(const struct record *r)
{
	auto_list struct list words = {0};
	const bool docker = invoked_as_docker();
	struct record_origin origin = {.docker = json_is_true(json_get(r->what, "docker"))};
	struct presentation show = {0};
	struct sandbox_spec spec;
	struct err e;
	int status;

	spec_init(&spec);
	if (start_read(r, &words, &spec, &show, &e)) {
		status = run_failed(&e, false);
	} else {
		origin.words = words.items;
		origin.count = (int)words.count;
		invoke_as_docker(origin.docker);
		status = detach(&spec, &show, &origin, r->id);
		invoke_as_docker(docker);
	}
	presentation_fini(&show);
	spec_fini(&spec);
	return status;
}

/* No sandbox has the name: a session that hibernates, or is frozen, goes on. */
static int start_session(const char *word, struct err *e)
{
	return e->kind == ERR_NOT_FOUND && named_is_session(word) ? session_thaw(word, e)
								  : named_explain("start", word, e);
}

static int start_one(const char *word)
{
	auto_record struct record r = {.dir = -1};
	auto_free char *here = getcwd(NULL, 0);
	struct err e;
	int status;

	if (record_find(word, &r, &e))
		return start_session(word, &e) ? fail_as_daemon(&e) : 0;
	if (r.state == RECORD_HIBERNATED)
		return kept_order(&r, "unpause", &e) ? fail_as_daemon(&e) : 0;
	if (r.state == RECORD_PAUSED)
		return err_set(&e, ERR_BUSY, "%.100s is paused: %s unpause lets it go on",
			       record_name(&r), our_name()),
		       fail_as_daemon(&e);
	if (record_runs(&r))
		return 0; /* as docker */
	status = start_anew(&r);
	if (here)
		(void)!chdir(here); /* the next one's words, and cidfiles */
	return status;
}

static int start_end_first(const char *word, uint64_t time_s, struct err *e)
{
	auto_record struct record r = {.dir = -1};
	auto_fd int held = -1;

	if (named_find("restart", word, &r, e))
		return -1;
	if (!record_runs(&r))
		return 0;
	held = record_hold(&r, e);
	return held < 0 ? -1 : kill_kept_in_time(&r, time_s, e);
}

static int start_tell_restart(const char *word, struct err *e)
{
	auto_record struct record r = {.dir = -1};

	if (!record_find(word, &r, e))
		event_write(&r, &(struct event){.action = "restart"});
	return 0;
}

static int start_each(void *context, const char *word, struct err *e)
{
	struct start_flags *flags = context;

	if (flags->again && start_end_first(word, flags->time_s, e))
		flags->status = fail_as_daemon(e);
	else if (start_one(word))
		flags->status = 1;
	else
		return flags->again ? start_tell_restart(word, e) : 0;
	return 1;
}

static int start_all(int argc, char *const *argv, int at, struct start_flags *flags)
{
	(void)words_each(argc, argv, at, start_each, flags);
	return flags->status;
}

int command_start(int argc, char **argv)
{
	struct start_flags flags = {0};
	struct err e;
	int at = words_read(argc, argv, start_settings, &flags, 1, WORDS_ANY, &e);

	if (at < 0)
		return fail_with_help(&e, "start");
	if ((flags.attach || flags.interactive) && argc - at == 1) {
		const uint64_t before_ms = clock_now_ms();
		int status = start_one(argv[at]);

		return status ? status
			      : attach_since(argv[at], before_ms,
					     &(struct follow_typing){
						     .in = flags.interactive ? STDIN_FILENO : -1,
						     .once = true});
	}
	return start_all(argc, argv, at, &flags);
}

int command_restart(int argc, char **argv)
{
	struct start_flags flags = {.again = true, .time_s = SPEC_UNLIMITED};
	struct err e;
	int at = words_read(argc, argv, restart_settings, &flags, 1, WORDS_ANY, &e);

	return at < 0 ? fail_with_help(&e, "restart") : start_all(argc, argv, at, &flags);
}
