/*
 * admission - how many runs there are at once, and who waits for one to end.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_ADMISSION_H
#define GLOVEBOX_SERVE_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "client/hub.h"

/* One who wants to run; embed it in its owner. */
struct ticket {
	void (*decided)(void *context, bool admitted); /* admitted, or it has waited too long */
	void *context;
	bool is_admitted;
	bool is_waiting;
	uint64_t asked_us; /* monotonic */
	struct hub_timer patience;
	struct admission *admission;
	struct ticket *next;
};

struct admission {
	struct hub *hub;
	unsigned most;    /* at once */
	uint64_t wait_us; /* the longest wait */
	unsigned running;
	unsigned waiting;
	bool is_admitting; /* those who wait, one after the other */
	struct ticket *first;
	struct ticket **last;
};

/* @most  at once. @wait_ms  the longest wait of the others. */
void admission_init(struct admission *a, struct hub *hub, unsigned most, uint64_t wait_ms);

/* Ask for a place: `decided` is called, perhaps before this returns. */
void admission_ask(struct admission *a, struct ticket *t);

/*
 * Give the place back, or wait no longer; then the next are admitted, unless this is called by the
 * `decided` of one of them. Safe when it has neither.
 */
void admission_leave(struct ticket *t);

#endif
