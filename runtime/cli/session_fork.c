/*
 * session_fork - `glovebox session fork`: branches of a session.
 */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/parse.h"
#include "cell/client.h"
#include "cell/session_branch.h"
#include "cli/command.h"
#include "cli/session_command.h"
#include "host/watch.h"

#define MAX_BRANCHES (SESSION_MAX_BRANCHES - 1)
#define LONGEST      (SESSION_NAME_MAX - 1 - (int)sizeof(".9999"))

struct branches {
	struct session items[SESSION_MAX_BRANCHES]; /* the first is the session itself, gone on */
	unsigned count;
	unsigned kept; /* by the supervisor */
};

/* NAME.1, NAME.2, ... that are free. */
static int keep_branch(const char *name, unsigned *number, const struct session *branch,
		       const struct session_terms *terms, struct err *e)
{
	char text[SESSION_NAME_MAX + 16];
	int bad = -1;

	while (bad && *number < 9999) {
		snprintf(text, sizeof(text), "%s.%u", name, ++*number);
		bad = client_keep(text, branch, terms, e);
		if (bad && (e->kind != ERR_INPUT || !strstr(e->text, "of that name")))
			return -1;
	}
	if (!bad)
		puts(text);
	return bad;
}

static int keep_all(const char *name, struct branches *b, const struct session_terms *terms,
		    struct session *parent, int connection, struct err *e)
{
	unsigned number = 0;

	if (session_leave(parent, e) || client_replace(name, &b->items[0], connection, e))
		return -1;
	for (b->kept = 1; b->kept < b->count; b->kept++) {
		if (keep_branch(name, &number, &b->items[b->kept], terms, e))
			return -1;
	}
	return 0;
}

/* What nobody keeps ends; the rest is the supervisor's. */
static void end_branches(struct branches *b)
{
	for (unsigned i = 0; i < b->count; i++) {
		if (i < b->kept)
			session_close(&b->items[i]);
		else
			session_end(&b->items[i]);
	}
}

static int fork_session(const char *name, unsigned count, struct err *e)
{
	struct branches branches = {.count = 0};
	struct session_terms terms = {0};
	struct session parent;
	struct err unsaid;
	enum session_outcome outcome;
	auto_fd int connection = -1;
	auto_fd int unheard = -1;
	int bad;

	if (strlen(name) > LONGEST)
		return err_input(e, "%.70s is too long a name to make branches of", name);
	if (client_borrow_to_branch(name, &parent, &terms, &connection, e))
		return -1;
	/* Halfway the session would be lost: signals wait until it is done. */
	outcome = SESSION_STAYS;
	bad = watch_signals(&unheard, e) ||
	      session_branch(&parent, connection, 1 + count, branches.items, &outcome, e);
	branches.count = bad ? outcome == SESSION_MOVED : 1 + count;
	if (outcome == SESSION_MOVED &&
	    keep_all(name, &branches, &terms, &parent, connection, bad ? &unsaid : e))
		bad = -1;
	end_branches(&branches);
	/* Where it has been replaced, the supervisor has it back already. */
	if (branches.kept)
		session_close(&parent);
	else
		client_return(&parent, parent.twin_count, outcome != SESSION_STAYS, &connection,
			      &unsaid);
	if (bad && outcome == SESSION_LOST)
		err_prefix(e, "the session is lost");
	return bad;
}

int session_fork_command(int argc, char **argv)
{
	int64_t count = 1;
	struct err e;

	if (argc < 2 || argc > 3) {
		err_input(&e, "session fork NAME [COUNT]");
		return fail_with(&e);
	}
	if (argc == 3 && parse_int(argv[2], 1, MAX_BRANCHES, &count, &e)) {
		err_prefix(&e, "session fork: COUNT");
		return fail_with(&e);
	}
	return fork_session(argv[1], (unsigned)count, &e) ? fail_with(&e) : 0;
}
