/*
 * doctor - rows of findings: what one of them is, and who finds them.
 *
 * Runs: `glovebox doctor`. Needs: nothing; what needs root is said of the user who asks.
 */
#ifndef GLOVEBOX_CLI_DOCTOR_H
#define GLOVEBOX_CLI_DOCTOR_H

#include <stdbool.h>

#include "base/err.h"

enum finding_state {
	FINDING_OK,
	FINDING_NOTE, /* worth knowing; everything works without it */
	FINDING_NO,   /* what the row names does not work */
};

struct finding {
	enum finding_state state;
	char text[700];
	char remedy[500]; /* the one thing to do; empty: none, or the text says it */
};

enum doctor_weight {
	DOCTOR_PLAIN,
	DOCTOR_VITAL, /* without it no sandbox is made, or none with the default limits */
	DOCTOR_RARE,  /* people see it only where it is not ok: all shall fit a screen */
};

struct doctor_row {
	const char *name;
	enum doctor_weight weight;
	void (*check)(struct finding *f);
};

/* Each ends with a null name. */
extern const struct doctor_row doctor_host[];
extern const struct doctor_row doctor_limits[];
extern const struct doctor_row doctor_features[];

void doctor_set(struct finding *f, enum finding_state state, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* It does not work, for this reason. */
void doctor_fail(struct finding *f, const struct err *e);

/* What gives an ordinary user all that is for root only. */
void doctor_remedy_is_setup(struct finding *f);

/* Whether all vital rows are good; *because: the first that is not. */
bool doctor_is_usable(const struct doctor_row *rows, struct finding *because);

#endif
