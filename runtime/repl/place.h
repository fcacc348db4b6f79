/*
 * place - the session that a prompt is on: one that is kept under a name, or one of our own.
 *
 * A kept one is borrowed for each call, so that it is free in between and outlives us. One of our
 * own comes from the user's warm supervisor or, if that does not fit, from one that we start
 * (client/supplier.h); it ends with us. When it is lost, the next call begins another.
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
	struct sandbox_spec *spec; /* borrowed: of our own */
	struct supplier warm;
	struct session session;
	int connection; /* on which a kept one was borrowed */
	bool has_session;
	bool is_left; /* code that could not be interrupted goes on in it */
};

/* How long somebody waits for the session. */
struct patience {
	uint64_t wait_ms;
	int signal_fd; /* borrowed; what comes through it ends the wait */
	int signal;    /* that has ended it; 0 */
};

/* A place on a kept session. Nothing is asked yet. */
void place_open_kept(struct place *p, const char *name);

/*
 * place_open_own - a place on a session of our own, which the first call begins.
 * @spec  finished (client/session_spec.h); borrowed until place_close().
 * Call it while the process is small (supplier_open()).
 */
int place_open_own(struct place *p, struct sandbox_spec *spec, const struct repl_options *o,
		   struct err *e);

/*
 * place_take - have the session for one call, whose request has so many bytes.
 * Errors: ERR_BUSY: it is, or a signal came; ERR_GONE: it has ended.
 */
int place_take(struct place *p, size_t length, struct patience *patience, struct err *e);

/* After it. @e  why the call failed, if it did; replaced if the supervisor knows more. */
void place_give_back(struct place *p, const struct session_call *call, struct err *e);

void place_close(struct place *p);

#endif
