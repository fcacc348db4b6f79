/*
 * reopen - open the root that a sandbox has left: a sandbox of the same image, in which what was
 * changed is laid (monitor/layer.h) and mover alone runs.
 *
 * So the tree that foreign code wrote is read and written inside a sandbox, as if the first one
 * still ran. A record that has one is used like that of a sandbox that runs (monitor/copying.h).
 *
 * Runs: client. Needs: those of a cold run; nothing once it is open.
 */
#ifndef GLOVEBOX_MONITOR_REOPEN_H
#define GLOVEBOX_MONITOR_REOPEN_H

#include "base/err.h"
#include "sandbox/door.h"
#include "spec/spec.h"

struct reopened;

/*
 * reopen - start it, and lay what was changed.
 *
 * @spec   finished; it stays, and its program never starts. Outlives *out.
 * @layer  of layer_open(); borrowed; -1: nothing was changed.
 * @out    end with reopened_end().
 */
int reopen(const struct sandbox_spec *spec, int layer, struct reopened **out, struct err *e);

/*
 * reopened_exec - order a program of ours; one at a time.
 *
 * @layers  its input are the layers of the root, which can be changed.
 * @out     child_none(); as run_exec() has it.
 */
int reopened_exec(struct reopened *r, const struct door_wish *wish, bool layers, struct child *out,
		  struct err *e);

/* Readable when a step is due; -1: out of descriptors. Borrowed. */
int reopened_fd(struct reopened *r, struct err *e);

enum reopened_step { REOPENED_RUNS, REOPENED_EXEC_ENDED, REOPENED_OVER };

/* Do what is due. @status  out: the wait status of the program that was ordered, when it ends. */
enum reopened_step reopened_step(struct reopened *r, int *status);

/*
 * reopened_end - end the sandbox.
 *
 * @record_dir  that of the record, which is locked: keep there what is changed now, whole or not at
 *              all; -1: keep nothing. Borrowed.
 * @trial  another one, with the spec of the next start and no layer: what does not fit there is
 *         not kept. Borrowed; NULL: nothing is kept.
 * Errors: it could not be kept, or the sandbox has failed, and its error says why.
 */
int reopened_end(struct reopened *r, int record_dir, struct reopened *trial, struct err *e);

#endif
