/*
 * layer - what a sandbox that stays has changed in its root, from its end to its next start: a file
 * of its record (RECORD_LAYER), the tar that `mover layer` writes and `mover lay` reads.
 *
 * It is written when all processes of the sandbox have ended, however they have, or stand still
 * (monitor/hibernating.h): the monitor has a descriptor of the root's layers (run_layers()), which
 * lives as long as that. A child of the monitor reads them as mover, with the sandbox's ids in its
 * user namespace, and no file but these: they are its root, and Landlock allows no other. It is
 * laid again by mover inside the new sandbox
 * before any other program begins there, with the rights of that program: the file may have been
 * changed meanwhile, and what is in it can do no more than the sandbox can.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_LAYER_H
#define GLOVEBOX_MONITOR_LAYER_H

#include "sandbox/run.h"

/* The file in a record's directory: an owned descriptor, or -1: nothing was changed. */
int layer_open(int record_dir);

#define LAYER_KEEP_US 60000000 /* it may take so long to write it */

/* The file that is being written, beside the one that is there. */
struct layer_keeping {
	int dir;     /* borrowed: the record's directory */
	int fd;      /* owned; -1 */
	int notes;   /* owned: what mover has said; -1 */
	pid_t child; /* mover, until it is reaped; 0: there is nothing to keep */
	int pidfd;   /* owned; readable when it has ended; -1 */
};

static inline struct layer_keeping layer_keeping_none(void)
{
	return (struct layer_keeping){.dir = -1, .fd = -1, .notes = -1, .pidfd = -1};
}

/*
 * layer_keep_begin - begin to write the file anew.
 *
 * @run  its sandbox has ended, or is frozen.
 * @out  end with layer_keep_end(); on error there is nothing to end.
 */
int layer_keep_begin(int record_dir, const struct run *run, struct layer_keeping *out,
		     struct err *e);

/*
 * layer_keep_end - put it into the place of the old one, or remove that if nothing is changed; a
 * failure leaves it. What has not been written is given up.
 * @whole  a failure, too, if something in the root could not be read.
 * Errors: ERR_LIMIT: it is larger than the writable root and its names, or not written yet. Returns
 * 1 with ERR_LIMIT if it is kept in part.
 */
int layer_keep_end(struct layer_keeping *k, bool whole, struct err *e);

/* Give it up: the old one stays. Safe on layer_keeping_none(). */
void layer_keep_drop(struct layer_keeping *k);

/* Wait until it is written, LAYER_KEEP_US at most. */
void layer_keep_await(const struct layer_keeping *k);

/* All of it at once; not only whole. */
int layer_keep(int record_dir, const struct run *run, struct err *e);

/*
 * layer_lay - order mover to lay it, in a sandbox that `waits`.
 * @layer  of layer_open().
 * @exec   out: the program, whose end says whether it is laid (layer_judge()).
 */
int layer_lay(struct run *run, int layer, uint32_t *exec, struct err *e);

/* @status: its wait status. 0, or -1 with *e. */
int layer_judge(int status, struct err *e);

#endif
