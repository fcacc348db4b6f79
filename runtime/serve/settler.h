/*
 * settler - what was put into the store, or deleted, gets to the disk, and whoever did it is told.
 *
 * A disk that others keep busy may take seconds, so a child waits for it (file_store_settle()), one
 * at a time. Whoever asks while one is at work is served by the next: what he has done may be too
 * late for this one, and many are served by one.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SETTLER_H
#define GLOVEBOX_SERVE_SETTLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "client/hub.h"
#include "serve/file_store.h"

/* Who waits; embed it in its owner. */
struct settling {
	void (*settled)(void *context, const struct err *failure); /* NULL: it is on the disk */
	void *context;
	const struct stored_file *file; /* borrowed; NULL: everything in the store */
	bool is_served;                 /* by the child that is at work */
	struct settling *next;
	struct settling **at; /* NULL: it does not wait */
};

struct settler {
	struct hub *hub;                /* borrowed */
	const struct file_store *files; /* borrowed */
	struct settling *first;         /* those that are served come first */
	struct settling **last;
	struct hub_timer begin;
	struct hub_watch ended;
	pid_t pid; /* 0: none is at work */
	int pidfd; /* owned; -1 */
};

/* @hub, @files  outlive it. */
void settler_init(struct settler *s, struct hub *hub, const struct file_store *files);

/* Nobody may wait any more. A child that is at work is killed, and not waited for. */
void settler_fini(struct settler *s);

/* settler_ask - `settled` is called in a later turn of the hub, once. */
void settler_ask(struct settler *s, struct settling *x);

/* Do not tell. Safe if it does not wait. */
void settler_forget(struct settler *s, struct settling *x);

#endif
