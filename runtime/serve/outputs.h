/*
 * outputs - what a run has left becomes files of the store: some at each turn of the hub, and then
 * they are waited for (serve/settler.h). Nobody else waits for either.
 *
 * They are all on the disk when it is over, or none is there.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_OUTPUTS_H
#define GLOVEBOX_SERVE_OUTPUTS_H

#include "base/buf.h"
#include "serve/settler.h"
#include "serve/staging.h"

#define OUTPUTS_TURN_US 2000 /* so long others wait, and for one file at least */
#define OUTPUTS_ROOM_US 2000000

struct outputs {
	/* filled in by the owner; all borrowed until outputs_fini() */
	struct file_store *store;
	struct settler *settler;
	const char *owner;
	int directory_fd;              /* where they were collected; in the store's file system */
	const struct staging *staging; /* what is as it was staged is no output */
	const struct collected *collected;
	void (*done)(void *context);
	void *context;
	/* outputs.c's own */
	struct file_store_hold held;     /* for them, until each is a file */
	uint64_t room_until_us;          /* the longest wait for that; 0: not yet */
	char (*ids)[FILE_STORE_ID_SIZE]; /* of `collected`; "": it is no file of the store */
	size_t next;
	bool has_any;
	struct hub_timer turn;
	struct settling settling;
};

/*
 * outputs_make_room - they are about to be copied to the directory: their owner is charged for all
 * that may be written, and what is not room for is left out, which outputs_put() says.
 *
 * @may_wait  while other requests of the owner hold the room, false is returned: ask again. It is
 *            true after OUTPUTS_ROOM_US in any case.
 * @copied    bytes that are copied with them, and that the owner is charged for already.
 * @most      bytes. @room  out: that may be written.
 */
bool outputs_make_room(struct outputs *o, bool may_wait, uint64_t copied, uint64_t most,
		       uint64_t *room);

/* outputs_begin - true: `done` is called in a later turn of the hub; false: it is over already. */
bool outputs_begin(struct outputs *o);

/*
 * outputs_put - when it is over: the list of {"path", "kind", "file_id", "size_bytes"}, under
 * "files". One that the store has no room for has null for its id. "files_truncated": there was
 * more that is not in the list.
 */
void outputs_put(const struct outputs *o, struct buf *out);

/* outputs_fini - free it. Safe at any time, on one that is all zero as well. */
void outputs_fini(struct outputs *o);

/* outputs_drop - nobody will be told of them: no file stays, whether it is over or not. */
void outputs_drop(struct outputs *o);

#endif
