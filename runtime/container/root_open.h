/*
 * root_open - have the root of a sandbox that stays at hand, whether it runs or has ended.
 *
 * The root of one that has ended is opened in a sandbox of its own (monitor/reopen.h), of which the
 * record knows from then on: monitor/copying.h works on both.
 *
 * Runs: client. Needs: those of a cold run, if it has ended.
 */
#ifndef GLOVEBOX_CONTAINER_ROOT_OPEN_H
#define GLOVEBOX_CONTAINER_ROOT_OPEN_H

#include "base/list.h"
#include "record/record.h"
#include "spec/spec.h"

/* A path in a sandbox as clients write it, from the root on. Owned. */
char *root_path(const char *text);

/* Whether the sandbox can change its root. */
bool root_is_writable(const struct record *r);

enum root_use {
	ROOT_TOLD,    /* diff, export: the image and what was changed, and no mount */
	ROOT_READ,    /* with the directories and volumes that the sandbox shows */
	ROOT_WRITTEN, /* the same: it does not start meanwhile, and what is changed is kept */
};

struct open_root {
	struct record *record; /* borrowed */
	struct sandbox_spec spec;
	struct list words;                /* what the spec was read from */
	struct sandbox_spec as_it_starts; /* the same spec, with all mounts; borrowed from it */
	struct reopened *trial;           /* owned: of that; NULL */
	int lock;                         /* owned; -1 */
};

/*
 * root_open - open it, if it has ended. Nothing is done for one that runs, or a session. A root
 * that cannot be changed is told as that of its image, whether it runs or not.
 *
 * @r    borrowed until root_close(), which is called on success; its state is read anew.
 * Errors: those of a cold run; ERR_BUSY: it is being started, updated or written to by another.
 */
int root_open(struct record *r, enum root_use use, struct open_root *out, struct err *e);

/* @keep: what was changed, if it was opened to be written. */
int root_close(struct open_root *o, bool keep, struct err *e);

#endif
