/*
 * place - the session of a prompt or a kernel: one kept under a name, or one of our own.
 *
 * Each call borrows a kept one, so that it is free in between and outlives us. One of our own comes
 * from the user's warm supervisor or, if that does not fit, from one that we start
 * (client/supplier.h); it ends with us. When it is lost, the next call starts another.
 *
 * Runs: client. Needs: write access to its cgroups.
 */
#ifndef GLOVEBOX_SERVICE_PLACE_H
#define GLOVEBOX_SERVICE_PLACE_H

#include <stdbool.h>

#include "base/err.h"
#include "client/supplier.h"
#include "service/notebook.h"
#include "session/call.h"
#include "spec/spec.h"

struct place {
	const char *name;          /* borrowed; NULL: one of our own */
	struct sandbox_spec *spec; /* borrowed: of our own session */
	struct supplier warm;
	struct session own;
	bool has_own;
	bool is_left; /* uninterruptible code continues in it */
};

/* Open a kept session; sends nothing yet. */
void place_open_kept(struct place *p, const char *name);

/*
 * place_open_own - open a session of our own, which the first call starts.
 * @spec         finished (session/session_spec.h); borrowed until place_close().
 * @preload      modules of a supervisor of our own; NULL: the image's.
 * @trust_image  accept an imported image.
 * Call it while the process is small (supplier_open()).
 */
int place_open_own(struct place *p, struct sandbox_spec *spec, const char *preload,
		   bool trust_image, struct err *e);

/* Whether the next call would wait, for its session to start or for code that was left in it. */
bool place_would_wait(const struct place *p);

/* Start a session of our own, if there is none. Errors: those of service/notebook.h. */
int place_start(struct place *p, struct err *e);

/*
 * The same for a process that drives a hub. place_begin() fills in the request that begins a
 * session of our own, and place_begun() takes what became of it.
 *
 * @published  gets client/network.h's lines.
 * @e          why it failed; becomes what a user should know.
 * Returns 0: the session is there; 1: begin again, since the user's supervisor did not fit; -1: *e.
 */
void place_begin(struct place *p, struct buf *published, struct notebook_request *out);
int place_begun(struct place *p, const struct buf *published, bool failed, struct err *e);

/* Note how a call has ended. */
void place_note(struct place *p, const struct session_call *call);

/* End a session of our own, and its supervisor. */
void place_close(struct place *p);

#endif
