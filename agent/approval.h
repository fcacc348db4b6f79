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

/* Whether there is somebody to ask, if it is wanted. */
int approval_check(const struct agent_options *o, struct err *e);

/* Owned: approved_fini(). */
struct approved {
	enum step step;
	char *code; /* that will run */
	char *note; /* for the model, beside the result; NULL */
};

/*
 * approval_get - have the code of a reply approved, and say that it runs; without --approve it
 * does.
 *
 * @call  that it is in; NULL: it was in the text.
 * Returns 0; -1: it must not run, the model was told, and the round ends with out->step.
 */
int approval_get(struct task *t, const struct extract *what, const struct chat_call *call,
		 struct approved *out);

/*
 * approval_again - whether code of a conversation that was kept may run once more; without
 * --approve it may. A file says what that code is, so nobody has approved it yet.
 *
 * @code  owned by the caller; a person may change it.
 * @all   whether a person has approved what follows, too.
 */
bool approval_again(struct agent_loop *l, char **code, bool *all);

void approved_fini(struct approved *a);

#define auto_approved __attribute__((cleanup(approved_fini)))

#endif
