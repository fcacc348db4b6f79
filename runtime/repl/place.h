/*
 * place - the session of a prompt: one kept under a name, or one of our own.
 *
 * We borrow a kept one for each call, so that it is free in between and outlives us. One of our own
 * comes from the user's warm supervisor or, if that does not fit, from one that we start
 * (client/supplier.h); it ends with us. When it is lost, the next call starts another.
 *
 * Runs: client. Needs: write access to its cgroups.
 */
#ifndef GLOVEBOX_REPL_PLACE_H
#define GLOVEBOX_REPL_PLACE_H

#include <stdbool.h>

#include "base/err.h"
#include "client/session.h"
#include "client/supplier.h"
#include "spec/repl_settings.h"
#include "spec/spec.h"

struct place {
	const char *name;          /* borrowed; NULL: one of our own */
	struct sandbox_spec *spec; /* borrowed: of our own session */
	struct supplier warm;
	struct session session;
	int connection; /* by which a kept one was borrowed */
	bool has_session;
	bool is_left; /* uninterruptible code continues in it */
};

/* How long the user waits for the session. */
struct patience {
	uint64_t wait_ms;
	int signal_fd; /* borrowed; a signal from it ends the wait */
	int signal;    /* the signal that ended the wait; 0 */
};

/* Open a kept session; sends nothing yet. */
void place_open_kept(struct place *p, const char *name);

/*
 * place_open_own - open a session of our own, which the first call starts.
 * @spec  finished (client/session_spec.h); borrowed until place_close().
 * Call it while the process is small (supplier_open()).
 */
int place_open_own(struct place *p, struct sandbox_spec *spec, const struct repl_options *o,
		   struct err *e);

/*
 * place_take - take the session for one call, whose request has @length bytes.
 * Errors: ERR_BUSY: it is busy, or a signal came; ERR_GONE: it has ended.
 */
int place_take(struct place *p, size_t length, struct patience *patience, struct err *e);

/*
 * Return it after the call. @e: why the call failed, if it did; replaced if the supervisor knows
 * more.
 */
void place_give_back(struct place *p, const struct session_call *call, struct err *e);

void place_close(struct place *p);

#endif
