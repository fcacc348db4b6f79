/*
 * doctor - rows of findings, and the tables of their checks.
 *
 * Runs: `glovebox doctor`. Needs: nothing; rows about root's rights refer to the calling user.
 */
#ifndef GLOVEBOX_ADMIN_DOCTOR_H
#define GLOVEBOX_ADMIN_DOCTOR_H

#include <stdbool.h>

#include "base/err.h"

enum finding_state {
	FINDING_OK,
	FINDING_NOTE, /* informative; everything works without it */
	FINDING_NO,   /* the feature of this row does not work */
};

struct finding {
	enum finding_state state;
	char text[700];
	char remedy[500]; /* the one thing to do; empty: none, or the text tells */
};

enum doctor_weight {
	DOCTOR_PLAIN,
	DOCTOR_VITAL, /* without it no sandbox works, or none with the default limits */
	DOCTOR_RARE,  /* shown only if not ok, so that all rows fit a screen */
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

/* Record that it does not work, for this reason. */
void doctor_fail(struct finding *f, const struct err *e);

/* Set the remedy that gives an ordinary user everything that needs root. */
void doctor_remedy_is_setup(struct finding *f);

/* Whether all vital rows are ok; *because: the first that is not. */
bool doctor_is_usable(const struct doctor_row *rows, struct finding *because);

#endif
