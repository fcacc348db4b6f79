/*
 * approval - a person decides whether code runs: --approve.
 *
 * Touches the OS: asks at the terminal; code is edited in a file below $TMPDIR, with $VISUAL,
 * $EDITOR or vi.
 */
#ifndef GLOVEBOX_AGENT_APPROVAL_H
#define GLOVEBOX_AGENT_APPROVAL_H

#include "agent/loop.h"
#include "agent/reply/extract.h"

/* With --approve, fail if no terminal is there to ask at. */
int approval_check(const struct agent_options *o, struct err *e);

/* Owned: approved_fini(). */
struct approved {
	enum step step;
	char *code; /* the code to run */
	char *note; /* for the model, added to the result; NULL */
};

/*
 * approval_get - ask a person to approve the code of a reply, unless --approve is off, and report
 * that it runs.
 *
 * @call  the call with the code; NULL: the code was in the text.
 * Returns 0; -1: the code must not run, the model was told, and the round ends with out->step.
 */
int approval_get(struct task *t, const struct extract *what, const struct chat_call *call,
		 struct approved *out);

/*
 * approval_again - ask whether code of a saved conversation may run again, unless --approve is off.
 * The code comes from a file, so it needs a new approval.
 *
 * @code  owned by the caller; the person may change it.
 * @all   the person has approved the code that follows, too.
 */
bool approval_again(struct agent_loop *l, char **code, bool *all);

void approved_fini(struct approved *a);

#define auto_approved __attribute__((cleanup(approved_fini)))

#endif
