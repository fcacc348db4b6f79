/*
 * session_find - the sandbox that a word of the command line names.
 */
#include "monitor/session_find.h"

#include <stdio.h>

#include "client/client.h"

/* 0; 1: no session has the name; -1 with *e. */
static int session_find_look(const char *name, struct err *e)
{
	struct op_answer answer;

	if (client_checkpoints(NULL, name, &answer, e))
		return e->kind == ERR_NOT_FOUND ? 1 : -1;
	op_answer_fini(&answer);
	return 0;
}

bool session_find_has(const char *name)
{
	struct err ignored;

	return !session_find_look(name, &ignored);
}

int session_find(const char *word, struct record *out, struct err *e)
{
	const int missing = record_find(word, out, e);
	struct err session;
	int found;

	if (missing ? e->kind != ERR_NOT_FOUND : record_runs(out))
		return missing;
	found = session_find_look(word, &session);
	if (found && !missing)
		return 0; /* the one that has ended */
	if (found < 0)
		*e = session;
	if (found)
		return -1;
	record_fini(out);
	*out = (struct record){.dir = -1, .is_session = true};
	snprintf(out->name, sizeof(out->name), "%s", word);
	return 0;
}
