/*
 * lost_sessions - what became of the last few sessions that their users did not remove.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_CELL_LOST_SESSIONS_H
#define GLOVEBOX_CELL_LOST_SESSIONS_H

#include <stdint.h>

#include "cell/session.h"

#define LOST_MAX     64
#define LOST_WHY_MAX 200

/* A ring; zeroed it is empty. */
struct lost_sessions {
	struct lost_session {
		char name[SESSION_NAME_MAX]; /* "": nobody asks for it by name any more */
		uint64_t borrower;           /* a client's number; 0: nobody */
		char why[LOST_WHY_MAX];      /* "was idle for too long"; "": nothing is here */
	} items[LOST_MAX];
	unsigned next;
};

/* @name  "": only who had borrowed it is to be told. */
void lost_sessions_add(struct lost_sessions *l, const char *name, uint64_t borrower,
		       const char *why);

/* There is a new one of that name: what happened to the old is past. */
void lost_sessions_forget(struct lost_sessions *l, const char *name);

/* Why the latest of that name was lost, and why that was which a client had borrowed; or NULL. */
const char *lost_sessions_named(const struct lost_sessions *l, const char *name);
const char *lost_sessions_of(const struct lost_sessions *l, uint64_t borrower);

#endif
