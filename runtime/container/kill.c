/*
 * kill - `kill` and `stop`: end what ps lists, or send it a signal.
 *
 * The monitor of a run is ordered to do it to its program (base/process.h): it reports the verdict
 * and collects files, as at any other end. Another process gets the signal itself; a session ends.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/process.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/words.h"
#include "client/registry.h"
#include "client/supervisors.h"
#include "container/kill.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "loop/loop.h"
#include "monitor/ask.h"
#include "monitor/program_ask.h"
#include "spec/program_flags.h"

#define GRACE_S 10 /* between a signal that asks and the kill, unless --time says it */

enum ending_kind { ENDING_KILL, ENDING_STOP };

struct ending_flags {
	int number; /* of a signal; 0: none was named. First: its parser knows no other place */
	uint64_t time_s; /* SPEC_UNLIMITED: not given */
	enum ending_kind kind;
};

/* The one place that a word names. */
struct search {
	const char *word;
	struct registered found;
	unsigned count; /* of ids that begin so */
	bool exact;     /* a name */
	bool whole;     /* a whole id: a name may look like that of another */
};

/* clang-format off */
const struct setting kill_settings[] = {
	{"signal", 's', "SIGNAL", GROUP_PROGRAM, FACE_RUN, SETTING_OWN, offsetof(struct ending_flags, number), NULL, .words = "KILL for a run; TERM, and KILL after 10 s, for others", .parse = program_flag_signal, .help = "the signal"},
	SETTING_END,
};

const struct setting stop_settings[] = {
	{"signal", 's', "SIGNAL", GROUP_PROGRAM, FACE_RUN, SETTING_OWN, offsetof(struct ending_flags, number), NULL, .words = "--stop-signal of the run", .parse = program_flag_signal, .help = "the signal by which it is asked to end"},
	{"time", 't', "SECONDS", GROUP_PROGRAM, FACE_RUN, SETTING_COUNT, offsetof(struct ending_flags, time_s), NULL, .max = 86400, .words = "--stop-timeout of the run, or 10; a server's --drain", .help = "kill it when it has not ended by then"},
	{"timeout", 0, "SECONDS", GROUP_DOCKER, FACE_RUN, SETTING_COUNT, offsetof(struct ending_flags, time_s), NULL, .max = 86400, .help = "the same"},
	SETTING_END,
};
/* clang-format on */

/* -- finding --------------------------------------------------------------------------------- */

/* By its name, or by what its id begins with. */
static void kill_look(void *context, const struct registered *r)
{
	struct search *s = context;
	bool run = !strcmp(r->entry.kind, REGISTRY_RUN);
	bool whole = !strcmp(s->word, r->entry.id);
	bool exact = whole || !strcmp(s->word, r->name);

	if (s->whole || (s->exact && !whole) || (invoked_as_docker() && !run) ||
	    (!exact && strncmp(r->entry.id, s->word, strlen(s->word)) != 0))
		return;
	s->exact = exact;
	s->whole = whole;
	s->count = exact ? 1 : s->count + 1;
	s->found = *r;
	/* The entry's texts end with the call. An entry that is not written yet gets signals only.
	 */
	s->found.entry = (struct registry_entry){.kind = run ? REGISTRY_RUN : ""};
}

/* Returns 1 if no session has the name. */
static int kill_session(const char *name, struct err *e)
{
	if (invoked_as_docker())
		return 1;
	if (!supervisors_drop(name, e))
		return 0;
	return e->kind == ERR_NOT_FOUND || e->kind == ERR_INPUT ? 1 : -1;
}

static int kill_say_none(const char *word, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND,
		       invoked_as_docker()
			       ? "No such container: %.100s"
			       : "nothing of yours that runs is called %.100s: \"glovebox "
				 "ps\" lists what does",
		       word);
}

/* -- ending ---------------------------------------------------------------------------------- */

/* A run does to its program what is ordered; any other process gets the signal. */
static int kill_send(const struct search *s, int pidfd, int order)
{
	bool ask = order == PROCESS_STOP || order == PROCESS_STOP_SIGNAL;

	if (*s->found.entry.kind ? process_order(pidfd, order)
				 : process_send(pidfd, ask ? SIGTERM : order))
		return -1;
	/* A process that job control has stopped (Ctrl-Z) would not see it. */
	if (ask || order == SIGKILL)
		(void)process_send(pidfd, SIGCONT);
	return 0;
}

/* Ask, wait for so long, kill. */
static int kill_stop(const struct search *s, int pidfd, const struct ending_flags *f)
{
	bool timed = f->time_s != SPEC_UNLIMITED;
	int ask = f->number ? f->number : timed ? PROCESS_STOP_SIGNAL : PROCESS_STOP;
	uint64_t grace_us = (timed ? f->time_s : GRACE_S) * 1000000;
	/* A process of ours that is told to stop keeps its own time: --stop-timeout, --drain. */
	bool keeps = f->kind == ENDING_STOP && ask == PROCESS_STOP;
	uint64_t end = keeps ? LOOP_NEVER : monotonic_us() + grace_us;

	if (kill_send(s, pidfd, ask))
		return -1;
	return fd_await(pidfd, POLLIN, end) ? 0 : kill_send(s, pidfd, SIGKILL);
}

static int kill_by_pidfd(const struct search *s, int pidfd, const struct ending_flags *f,
			 struct err *e)
{
	bool run = *s->found.entry.kind;
	bool asks = f->kind == ENDING_STOP || (!run && !f->number);
	int bad = asks ? kill_stop(s, pidfd, f)
		       : kill_send(s, pidfd, f->number ? f->number : SIGKILL);

	if (bad && errno != ESRCH)
		return err_sys(e, "signal %.100s", s->found.name);
	if (!asks && f->number && f->number != SIGKILL)
		return 0;
	return fd_await(pidfd, POLLIN, monotonic_us() + KILL_END_S * 1000000)
		       ? 0
		       : err_set(e, ERR_BUSY,
				 "%.100s was told to end and has not within %d s: \"kill -9 %d\" "
				 "ends it without a verdict",
				 s->found.name, KILL_END_S, (int)s->found.pid);
}

/*
 * A sandbox that stays is found by its record as well: another login, or none, has another
 * registry. Returns an owned descriptor of its process, or -1.
 */
static int kill_find_kept(const char *word, struct search *search, struct err *e)
{
	auto_record struct record r = {.dir = -1};
	int pidfd;

	if (record_find(word, &r, e))
		return kill_say_none(word, e);
	if (!record_runs(&r))
		return err_set(e, ERR_GONE, "container %.100s is not running", word);
	pidfd = ask_pidfd(&r, &search->found.pid, e);
	search->found.entry.kind = REGISTRY_RUN;
	snprintf(search->found.name, sizeof(search->found.name), "%s", record_name(&r));
	return pidfd;
}

static bool kill_runs(const char *word)
{
	auto_record struct record r = {.dir = -1};
	struct err ignored;

	return !record_find(word, &r, &ignored) && record_runs(&r);
}

static int kill_one(const char *word, const struct ending_flags *f, struct err *e)
{
	struct search search = {.word = word};
	auto_fd int pidfd = -1;
	int session;

	if (!*word)
		return err_input(e, "a name must not be empty");
	if (registry_each(kill_look, &search, e))
		return -1;
	session = search.exact ? 1 : kill_session(word, e); /* before an id that begins so */
	if (session <= 0)
		return session;
	if (search.count > 1)
		return err_input(e, "%.70s begins %u ids: more digits tell which", word,
				 search.count);
	pidfd = search.count ? registry_open(&search.found, e) : kill_find_kept(word, &search, e);
	if (pidfd < 0 && e->kind == ERR_GONE && search.count) /* it was renamed meanwhile? */
		pidfd = kill_find_kept(word, &search, e);
	/* It is stopped, as docker sees it. */
	if (pidfd < 0 && e->kind == ERR_GONE && f->kind == ENDING_STOP && !kill_runs(word))
		return 0;
	return pidfd < 0 ? -1 : kill_by_pidfd(&search, pidfd, f, e);
}

int kill_at_once(const char *word, struct err *e)
{
	const struct ending_flags flags = {.kind = ENDING_KILL, .time_s = SPEC_UNLIMITED};

	return kill_one(word, &flags, e);
}

static int kill_kept(struct record *r, const struct ending_flags *f, struct err *e)
{
	/* It may end meanwhile. */
	if (kill_one(r->id, f, e) && e->kind != ERR_NOT_FOUND && e->kind != ERR_GONE)
		return -1;
	return record_await_end(r, monotonic_us() + KILL_END_S * 1000000, e);
}

int kill_kept_at_once(struct record *r, struct err *e)
{
	const struct ending_flags flags = {.kind = ENDING_KILL, .time_s = SPEC_UNLIMITED};

	return kill_kept(r, &flags, e);
}

int kill_kept_in_time(struct record *r, uint64_t time_s, struct err *e)
{
	const struct ending_flags flags = {.kind = ENDING_STOP, .time_s = time_s};

	return kill_kept(r, &flags, e);
}

/* -- the commands ---------------------------------------------------------------------------- */

/* A further program of a sandbox that stays. */
static int kill_program(const char *word, const struct ending_flags *f, struct err *e)
{
	auto_record struct record r = {.dir = -1};
	uint32_t number;

	return program_find(word, &r, &number, e) ||
			       program_signal(&r, number, f->number ? f->number : SIGKILL, e)
		       ? -1
		       : 0;
}

static int kill_each(void *context, const char *word, struct err *e)
{
	const struct ending_flags *f = context;

	return f->kind == ENDING_KILL && strchr(word, '/') ? kill_program(word, f, e)
							   : kill_one(word, f, e);
}

static int kill_all(int argc, char **argv, const struct setting *rows, enum ending_kind kind)
{
	struct ending_flags flags = {.kind = kind, .time_s = SPEC_UNLIMITED};
	struct err e;
	int at = words_read(argc, argv, rows, &flags, 1, WORDS_ANY, &e);

	return at < 0 ? fail_with(&e) : words_each(argc, argv, at, kill_each, &flags);
}

int command_kill(int argc, char **argv)
{
	return kill_all(argc, argv, kill_settings, ENDING_KILL);
}

int command_stop(int argc, char **argv)
{
	return kill_all(argc, argv, stop_settings, ENDING_STOP);
}
