/*
 * supervisors - the warm supervisors of a user.
 */
#include "client/supervisors.h"

#include <stdio.h>
#include <string.h>

#include "client/client.h"

struct telling {
	void (*tell)(void *context, const char *where, const char *face);
	void *context;
};

static void supervisors_tell(void *context, const struct registered *r)
{
	const struct telling *t = context;

	if (*r->entry.supervisor)
		t->tell(t->context, r->entry.supervisor, r->name);
}

void supervisors_each(void (*tell)(void *context, const char *where, const char *face),
		      void *context)
{
	struct telling t = {tell, context};
	struct err ignored;

	tell(context, NULL, NULL);
	(void)registry_each(supervisors_tell, &t, &ignored);
}

struct finding {
	const char *name;
	char where[REGISTRY_SUPERVISOR];
	int found; /* as supervisors_find() returns it */
	struct err *e;
};

/* An error counts if no other one has the session, and only of the user's own. */
static void supervisors_look(void *context, const char *where, const char *face)
{
	struct finding *f = context;
	struct op_answer answer;
	struct err e;

	if (!f->found)
		return;
	if (client_checkpoints(where, f->name, &answer, &e)) {
		if (!face && e.kind != ERR_NOT_FOUND) {
			f->found = -1;
			*f->e = e;
		}
		return;
	}
	op_answer_fini(&answer);
	f->found = 0;
	snprintf(f->where, sizeof(f->where), "%s", where ? where : "");
}

int supervisors_find(const char *name, char where[REGISTRY_SUPERVISOR], struct err *e)
{
	struct finding f = {.name = name, .found = 1, .e = e};

	supervisors_each(supervisors_look, &f);
	memcpy(where, f.where, sizeof(f.where));
	return f.found;
}

int supervisors_drop(const char *name, struct err *e)
{
	char where[REGISTRY_SUPERVISOR];
	struct err ignored;

	return client_drop(!supervisors_find(name, where, &ignored) && *where ? where : NULL, name,
			   e);
}
