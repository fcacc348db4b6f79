/*
 * layer - what a sandbox that stays has changed in its root, from its end to its next start: a file
 * of its record (RECORD_LAYER), the tar that `mover layer` writes and `mover lay` reads.
 *
 * It is written when all processes of the sandbox have ended, however they have: the monitor has a
 * descriptor of the root's layers (run_layers()), which lives as long as that. A child of the
 * monitor reads them as mover, in the user namespace of the sandbox, whose ids it has rights over,
 * and of all files reads these alone (Landlock). It is laid again by mover inside the new sandbox
 * before any other program begins there, with the rights of that program: the file may have been
 * changed meanwhile, and what is in it can do no more than the sandbox can.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_LAYER_H
#define GLOVEBOX_MONITOR_LAYER_H

#include "host/run.h"

/* The file in a record's directory: an owned descriptor, or -1: nothing was changed. */
int layer_open(int record_dir);

/*
 * layer_keep - write the file anew, or remove it if nothing is changed; a failure leaves the one
 * that is there.
 *
 * @run  its sandbox has ended. A minute at most.
 * Errors: ERR_LIMIT: it is larger than the writable root and its names.
 */
int layer_keep(int record_dir, const struct run *run, struct err *e);

/*
 * layer_lay - order mover to lay it, in a sandbox that `waits`.
 * @layer  of layer_open().
 * @exec   out: the program, whose end says whether it is laid (layer_judge()).
 */
int layer_lay(struct run *run, int layer, uint32_t *exec, struct err *e);

/* @status: its wait status. 0, or -1 with *e. */
int layer_judge(int status, struct err *e);

/*
 * layer_tell - order mover to write "changes" or "export" to a descriptor.
 *
 * @to  borrowed; it becomes mover's: only for a sandbox in which no foreign code runs.
 */
int layer_tell(struct run *run, const char *verb, int to, uint32_t *exec, struct err *e);

#endif
