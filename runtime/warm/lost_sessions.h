/*
 * lost_sessions - remember why the last few sessions ended that their users did not remove.
 *
 * No side effects. Runs: supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_WARM_LOST_SESSIONS_H
#define GLOVEBOX_WARM_LOST_SESSIONS_H

#include <stdint.h>

#include "wire/session.h"

#define LOST_MAX     64
#define LOST_WHY_MAX 200

/* A ring; zeroed, it is empty. */
struct lost_sessions {
	struct lost_session {
		char name[SESSION_NAME_MAX]; /* "": the name is in use again, or unknown */
		uint64_t borrower;           /* a client's number; 0: none */
		char why[LOST_WHY_MAX];      /* "was idle for too long"; "": an empty entry */
	} items[LOST_MAX];
	unsigned next;
};

/* @name: "": tell only the borrower. */
void lost_sessions_add(struct lost_sessions *l, const char *name, uint64_t borrower,
		       const char *why);

/* A new session has that name: forget the old one's entry. */
void lost_sessions_forget(struct lost_sessions *l, const char *name);

/* The reason for the latest loss, by name and by borrower; NULL if none. */
const char *lost_sessions_named(const struct lost_sessions *l, const char *name);
const char *lost_sessions_of(const struct lost_sessions *l, uint64_t borrower);

#endif
