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

#define MAX_BRANCHES 64

struct branches {
	struct session items[1 + MAX_BRANCHES]; /* the first is the session itself, gone on */
	unsigned count;
};

static int make_branches(struct session *parent, int connection, unsigned wanted,
			 struct branches *out, bool *lost, struct err *e)
{
	while (out->count < wanted) {
		if (session_branch(parent, connection, &out->items[out->count], lost, e))
			return -1;
		out->count++;
	}
	return 0;
}

/* NAME.1, NAME.2, ... that are free. */
static int keep_branch(const char *name, unsigned *number, const struct session *branch,
		       const struct session_terms *terms, struct err *e)
{
	char text[SESSION_NAME_MAX + 16];
	int bad = -1;

	for (unsigned tries = 0; bad && tries < 10000; tries++) {
		snprintf(text, sizeof(text), "%s.%u", name, ++*number);
		if (strlen(text) >= SESSION_NAME_MAX)
			return err_input(e, "%.70s is too long a name for a branch", text);
		bad = client_keep(text, branch, terms, e);
		if (bad && (e->kind != ERR_INPUT || !strstr(e->text, "of that name")))
			return -1;
	}
	if (!bad)
		puts(text);
	return bad;
}

static int keep_all(const char *name, const struct branches *b, const struct session_terms *terms,
		    struct session *parent, int connection, struct err *e)
{
	unsigned number = 0;

	session_leave(parent);
	if (client_replace(name, &b->items[0], connection, e))
		return -1;
	for (unsigned i = 1; i < b->count; i++) {
		if (keep_branch(name, &number, &b->items[i], terms, e))
			return -1;
	}
	return 0;
}

static int fork_session(const char *name, unsigned count, struct err *e)
{
	struct branches branches = {.count = 0};
	struct session_terms terms = {0};
	struct session parent;
	auto_fd int connection = -1;
	bool lost = false;
	int bad;

	if (client_borrow(name, false, &parent, &terms, &connection, e))
		return -1;
	if (make_branches(&parent, connection, 1 + count, &branches, &lost, e)) {
		struct err unsaid;

		client_return(&parent, parent.twin_count, lost, &connection, &unsaid);
		bad = -1;
	} else {
		bad = keep_all(name, &branches, &terms, &parent, connection, e);
		session_close(&parent);
	}
	for (unsigned i = 0; i < branches.count; i++)
		session_close(&branches.items[i]);
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
