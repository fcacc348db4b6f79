/*
 * admission - how many runs there are at once, and which of those that wait is next.
 *
 * Each key has a line of its own. A place that comes free goes to the line that was served the
 * longest ago, whatever number of tickets waits in the others, and a line whose key has as many
 * places as it may have is passed over.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_ADMISSION_H
#define GLOVEBOX_SERVE_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "client/hub.h"

/* The tickets of one key; embed it, all zero, in what outlives them. */
struct admission_line {
	uint64_t most;    /* places of this key at once; set before admission_ask() */
	unsigned running; /* places that it has */
	struct ticket *first;
	struct ticket **last;
	struct admission_line *next; /* of those in which a ticket waits */
};

/* A request for one place; embed it in its owner. */
struct ticket {
	void (*decided)(void *context, bool admitted); /* admitted, or it has waited too long */
	void *context;
	bool is_admitted;
	bool is_waiting;
	uint64_t asked_us; /* monotonic */
	struct hub_timer patience;
	struct admission *admission;
	struct admission_line *line;
	struct ticket *next;
};

struct admission {
	struct hub *hub;
	unsigned most;    /* at once */
	uint64_t wait_us; /* the longest wait */
	unsigned running;
	unsigned waiting;
	bool is_admitting;            /* those who wait, one after the other */
	struct admission_line *first; /* the line that was served the longest ago */
	struct admission_line **last;
};

/* @most  at once. @wait_ms  the longest wait of the others. */
void admission_init(struct admission *a, struct hub *hub, unsigned most, uint64_t wait_ms);

/*
 * admission_ask - ask for a place: `decided` is called, perhaps before this returns.
 * @line  of the ticket's key; borrowed until admission_leave().
 */
void admission_ask(struct admission *a, struct admission_line *line, struct ticket *t);

/*
 * Give the place back, or wait no longer; then the next are admitted, unless this is called by the
 * `decided` of one of them. Safe when it has neither.
 */
void admission_leave(struct ticket *t);

#endif
