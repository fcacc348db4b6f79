/*
 * admission - how many runs go on at once, and which waiting one is next.
 *
 * Each key has a line of tickets. A free place goes to the line that was served the longest ago,
 * however many tickets wait in the others; a line is passed over while its key holds as many places
 * as it may.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_TENANT_ADMISSION_H
#define GLOVEBOX_TENANT_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "client/hub.h"

/* The tickets of one key; embed it, all zero, in an owner that outlives them. */
struct admission_line {
	uint64_t most;                /* places of this key at once; set before admission_ask() */
	unsigned running;             /* places that the key holds */
	TAILQ_HEAD(, ticket) tickets; /* that wait; set up when there is one */
	TAILQ_ENTRY(admission_line) link; /* of admission.lines, if a ticket waits */
};

/* A request for one place; embed it in its owner. */
struct ticket {
	/* called with false after the longest wait */
	void (*decided)(void *context, bool admitted);
	void *context;
	bool is_admitted;
	bool is_waiting;
	uint64_t asked_us; /* monotonic */
	struct hub_timer patience;
	struct admission *admission;
	struct admission_line *line;
	TAILQ_ENTRY(ticket) link; /* of line->tickets, if it is_waiting */
};

struct admission {
	struct hub *hub;
	unsigned most;    /* places */
	uint64_t wait_us; /* the longest wait */
	unsigned running;
	unsigned waiting;
	bool is_admitting;                  /* the loop that admits tickets is running */
	TAILQ_HEAD(, admission_line) lines; /* first: the one that was served the longest ago */
};

/* @most  places. @wait_ms  the longest wait of a ticket. */
void admission_init(struct admission *a, struct hub *hub, unsigned most, uint64_t wait_ms);

/*
 * admission_ask - ask for a place: `decided` is called, perhaps before this returns.
 * @line  of the ticket's key; borrowed until admission_leave().
 */
void admission_ask(struct admission *a, struct admission_line *line, struct ticket *t);

/*
 * Release the place, or cancel the wait, and admit the next tickets, unless a `decided` of theirs
 * calls this. Safe without a place and without a wait.
 */
void admission_leave(struct ticket *t);

#endif
