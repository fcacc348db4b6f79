/*
 * lost_sessions - remember why the last few sessions ended that their users did not remove.
 */
#include "warm/lost_sessions.h"

#include <stdio.h>
#include <string.h>

void lost_sessions_add(struct lost_sessions *l, const char *name, uint64_t borrower,
		       const char *why)
{
	struct lost_session *lost = &l->items[l->next];

	snprintf(lost->name, sizeof(lost->name), "%s", name);
	snprintf(lost->why, sizeof(lost->why), "%s", why);
	lost->borrower = borrower;
	l->next = (l->next + 1) % LOST_MAX;
}

void lost_sessions_forget(struct lost_sessions *l, const char *name)
{
	for (unsigned i = 0; i < LOST_MAX; i++) {
		if (!strcmp(l->items[i].name, name))
			*l->items[i].name = '\0';
	}
}

const char *lost_sessions_named(const struct lost_sessions *l, const char *name)
{
	for (unsigned i = 1; *name && i <= LOST_MAX; i++) {
		const struct lost_session *lost = &l->items[(l->next + LOST_MAX - i) % LOST_MAX];

		if (!strcmp(lost->name, name))
			return lost->why;
	}
	return NULL;
}

const char *lost_sessions_of(const struct lost_sessions *l, uint64_t borrower)
{
	for (unsigned i = 0; borrower && i < LOST_MAX; i++) {
		if (l->items[i].borrower == borrower)
			return l->items[i].why;
	}
	return NULL;
}
