/*
 * settler - sync changes of the store in a child, and notify the waiters.
 *
 * A busy disk may take seconds, so a child lands the uploads (file_store_land()), one child at a
 * time. Waiters that come while a child runs are served by the next one: one child serves many.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_STORE_SETTLER_H
#define GLOVEBOX_STORE_SETTLER_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "client/hub.h"
#include "store/file_store.h"

/* A waiter; embed it in its owner. */
struct settling {
	/* @failure  NULL: the uploads have landed: keep them. Else abandon them. */
	void (*settled)(void *context, const struct err *failure);
	void *context;
	struct file_store_upload *const *uploads; /* borrowed; complete */
	size_t count;                             /* 0: names were deleted */
	bool is_served;                           /* the running child serves it */
	bool is_waiting;
	TAILQ_ENTRY(settling) link; /* of settler.waiters, if it is_waiting */
};

struct settler {
	struct hub *hub;                /* borrowed */
	const struct file_store *files; /* borrowed */
	TAILQ_HEAD(, settling) waiters; /* served ones come first */
	struct hub_timer begin;
	struct hub_watch ended;
	pid_t pid; /* 0: no child runs */
	int pidfd; /* owned; -1 */
};

/* @hub, @files  must outlive it. */
void settler_init(struct settler *s, struct hub *hub, const struct file_store *files);

/* Kill a running child, without waiting for it; there must be no waiters. */
void settler_fini(struct settler *s);

/* settler_ask - add a waiter: `settled` is called once, in a later turn of the hub. */
void settler_ask(struct settler *s, struct settling *x);

/* Remove a waiter without notice; then abandon its uploads. Safe if it does not wait. */
void settler_forget(struct settler *s, struct settling *x);

#endif
