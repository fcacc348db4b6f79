/*
 * supervisors - the warm supervisors of a user.
 */
#include "client/supervisors.h"

#include <stdio.h>
#include <string.h>

#include "client/client.h"

struct finding {
	const char *name;
	char where[REGISTRY_SUPERVISOR];
	int found; /* as supervisors_find() returns it */
};

/* As supervisors_find() returns. */
static int supervisors_ask(const char *where, const char *name, struct err *e)
{
	struct op_answer answer;

	if (client_checkpoints(where, name, &answer, e))
		return e->kind == ERR_NOT_FOUND ? 1 : -1;
	op_answer_fini(&answer);
	return 0;
}

/* Errors of those of faces do not count: one may have just ended, or hang. */
static void supervisors_look(void *context, const struct registered *r)
{
	struct finding *f = context;
	struct err ignored;

	if (!f->found || !*r->entry.supervisor ||
	    supervisors_ask(r->entry.supervisor, f->name, &ignored))
		return;
	f->found = 0;
	snprintf(f->where, sizeof(f->where), "%s", r->entry.supervisor);
}

int supervisors_find(const char *name, char where[REGISTRY_SUPERVISOR], struct err *e)
{
	struct finding f = {.name = name, .found = supervisors_ask(NULL, name, e)};
	struct err ignored;

	if (f.found > 0)
		(void)registry_each(supervisors_look, &f, &ignored);
	memcpy(where, f.where, sizeof(f.where));
	return f.found;
}

int supervisors_drop(const char *name, struct err *e)
{
	char where[REGISTRY_SUPERVISOR];

	/* One that is gone is asked all the same: the supervisor forgets it then. */
	if (supervisors_find(name, where, e) < 0 && e->kind != ERR_GONE)
		return -1;
	return client_drop(*where ? where : NULL, name, e);
}
