/*
 * session_find - the sandbox that a word of the command line names.
 */
#include "monitor/session_find.h"

#include <stdio.h>

#include "client/supervisors.h"

bool session_find_has(const char *name)
{
	char where[REGISTRY_SUPERVISOR];
	struct err ignored;

	return !supervisors_find(name, where, &ignored);
}

int session_find(const char *word, struct record *out, struct err *e)
{
	const int missing = record_find(word, out, e);
	char where[REGISTRY_SUPERVISOR];
	struct err session;
	int found;

	if (missing ? e->kind != ERR_NOT_FOUND : record_runs(out))
		return missing;
	found = supervisors_find(word, where, &session);
	if (found && !missing)
		return 0; /* the one that has ended */
	if (found < 0)
		*e = session;
	if (found)
		return -1;
	record_fini(out);
	*out = (struct record){.dir = -1, .is_session = true};
	snprintf(out->name, sizeof(out->name), "%s", word);
	snprintf(out->supervisor, sizeof(out->supervisor), "%s", where);
	return 0;
}
