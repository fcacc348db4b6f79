/*
 * outputs - move the outputs of a run into the store: a few per turn of the hub, then wait for the
 * disk (store/settler.h). Only this request waits.
 *
 * At the end all of them are on the disk, or none is in the store.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_OUTPUTS_H
#define GLOVEBOX_REQUEST_OUTPUTS_H

#include "base/buf.h"
#include "request/staging.h"
#include "store/settler.h"

#define OUTPUTS_TURN_US 2000 /* longest turn, but at least one file */
#define OUTPUTS_ROOM_US 2000000

struct outputs {
	/* set by the owner; borrowed until outputs_fini() */
	struct file_store *store;
	struct settler *settler;
	const char *owner;
	const char *folder; /* before the names that they get in the store, with a slash; NULL */
	int directory_fd;   /* the collected files; in the store's file system */
	const struct staging *staging; /* the owner is charged for these already */
	const struct collected *collected;
	void (*done)(void *context);
	void *context;
	/* private to outputs.c */
	struct file_store_hold held;     /* charge for the outputs, until each is a file */
	uint64_t room_until_us;          /* when the wait for room ends; 0: not begun */
	char (*ids)[FILE_STORE_ID_SIZE]; /* per entry of `collected`; "": not stored */
	size_t next;
	struct file_store_upload **uploads; /* owned: adopted, not files yet */
	size_t upload_count;
	struct hub_timer turn;
	struct settling settling;
};

/*
 * outputs_make_room - outputs are about to be copied: charge their owner for all that may be
 * written. Files beyond that are left out, which outputs_put() reports.
 *
 * @may_wait  return false, to be asked again, while other requests of the owner hold the room;
 *            after OUTPUTS_ROOM_US return true in any case.
 * @copied    bytes copied along, for which the owner is charged already.
 * @most      bytes. @room  out: bytes that may be written.
 */
bool outputs_make_room(struct outputs *o, bool may_wait, uint64_t copied, uint64_t most,
		       uint64_t *room);

/* outputs_begin - true: `done` is called in a later turn of the hub; false: nothing to wait for. */
bool outputs_begin(struct outputs *o);

/*
 * outputs_put - at the end: put the list "files" of {"path", "kind", "file_id", "size_bytes"};
 * file_id is null if the store had no room. "files_truncated": the list is incomplete.
 */
void outputs_put(const struct outputs *o, struct buf *out);

/* outputs_fini - free it. Safe at any time, also if all zero. */
void outputs_fini(struct outputs *o);

/* outputs_drop - the client is gone: remove the files, stored already or not. */
void outputs_drop(struct outputs *o);

#endif
