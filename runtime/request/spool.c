/*
 * spool - keep a long reply in an unlinked file of the store's directory.
 */
#include "request/spool.h"

#include <fcntl.h>

#include "base/own.h"
#include "request/charge.h"
#include "request/server.h"

#define NAME "reply"

static int spool_make(struct file_store *store)
{
	char scratch[FILE_STORE_SCRATCH_SIZE];
	auto_fd int directory = -1;
	struct err e;
	int fd;

	if (file_store_scratch(store, &directory, scratch, &e))
		return -1;
	/* Some file systems lack O_TMPFILE. */
	fd = openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = openat(directory, NAME, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	file_store_scratch_end(store, &directory, scratch);
	return fd;
}

int spool_open(struct request *r, uint64_t bytes)
{
	struct err e;

	if (file_store_hold(r->server->files, r->key->id, bytes, charge_of(r), &e))
		return -1;
	return spool_make(r->server->files);
}
