/*
 * seen - what is told of files in a sandbox that stays, or a session.
 */
#include "monitor/seen.h"

#include <signal.h>
#include <stdio.h>

#include "base/own.h"
#include "monitor/exec.h"

struct seen {
	struct buf out; /* of one step */
	struct buf said;
	struct mover_told told;
	bool (*take)(void *context, const struct change *change);
	void *context;
	bool is_left; /* not to go on */
};

/* Pass on what has come. false: no more is wanted, or it is not what mover tells. */
static bool seen_pass(struct seen *s)
{
	struct change change;
	int n = 0;

	if (s->is_left || !s->take)
		return !s->is_left;
	mover_told_add(&s->told, s->out.data, s->out.length);
	buf_cut(&s->out, 0);
	while (!s->is_left && (n = mover_told_take(&s->told, &change)) > 0)
		s->is_left = !s->take(s->context, &change);
	s->is_left |= n < 0;
	return !s->is_left;
}

static int seen_drive(struct exec *x, struct seen *s, struct err *e)
{
	bool is_killed = false;
	bool over;
	int status;

	do {
		(void)loop_wait(exec_loop(x), -1);
		over = exec_step(x);
		if (!seen_pass(s) && !is_killed) {
			exec_signal(x, SIGKILL);
			is_killed = true;
		}
	} while (!over);
	return exec_end(x, &status, e);
}

/* Run a verb of mover to its end. */
static int seen_run(const struct record *r, char **words, size_t count, struct seen *s,
		    struct err *e)
{
	const struct door_wish wish = {
		.argv = {words, count},
                  .program = -1
        };
	const struct run_io io = {
		-1, {{.fd = -1, .buffer = &s->out}, {.fd = -1, .buffer = &s->said}}
        };
	struct exec *x;

	s->said.cap = MOVER_SAID_BYTES;
	return exec_start_mover(r, &wish, false, &io, &x, e) || seen_drive(x, s, e) ? -1 : 0;
}

static void seen_fini(struct seen *s)
{
	buf_fini(&s->out);
	buf_fini(&s->said);
	mover_told_fini(&s->told);
}

int seen_changes(const struct record *r, const char *path, bool is_deep,
		 bool (*take)(void *context, const struct change *change), void *context,
		 struct err *e)
{
	char *words[] = {(char *)"watch", (char *)"/", (char *)path, (char *)(is_deep ? "1" : "0"),
			 NULL};
	__attribute__((cleanup(seen_fini))) struct seen s = {.take = take, .context = context};

	if (seen_run(r, words, 4, &s, e))
		return -1;
	if (s.is_left && !s.told.is_bad)
		return 0;
	mover_told_judge(&s.said, path, e);
	return -1;
}

int seen_usage(const struct record *r, const char *path, struct files_usage *out, struct err *e)
{
	char most[24];
	char *words[] = {(char *)"usage", (char *)"/", (char *)path, most, NULL};
	__attribute__((cleanup(seen_fini))) struct seen s = {.out = {.cap = 1}};

	snprintf(most, sizeof(most), "%u", SEEN_MOST);
	return seen_run(r, words, 4, &s, e) ? -1
					    : mover_told_usage(&s.said, path, SEEN_MOST, out, e);
}
