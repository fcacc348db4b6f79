/*
 * staging - the files that a request puts into a workspace; request/outputs.h collects from it.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_STAGING_H
#define GLOVEBOX_REQUEST_STAGING_H

#include <stdbool.h>
#include <stddef.h>

#include "request/schema.h"
#include "service/script.h"
#include "store/file_store.h"

#define STAGING_FILES_MAX 256

struct staging {
	struct staged_file *files; /* owned, with their paths and descriptors */
	struct stored_file *stored;
	struct file_store_hold *holds; /* of open files */
	size_t count;
};

/*
 * staging_read - the member "files" of a body: [{"path", "file_id"}]. Notes malformed entries in
 * the schema; does not look files up.
 */
struct staging_names {
	const char *path;
	const char *id;
};

/* Returns the count; owned: free(). */
size_t staging_read(struct schema *body, struct staging_names **out);

/*
 * staging_plan - look the files up, in order. Touches no disk, opens nothing.
 * @out   end with staging_fini(), after an error as well.
 * Errors: ERR_NOT_FOUND (404), ERR_INPUT (422): the text is for the client.
 */
int staging_plan(const struct file_store *store, const char *owner,
		 const struct staging_names *names, size_t count, bool has_entrypoint,
		 struct staging *out, struct err *e);

/*
 * staging_open - open the files, once the request has a place: waiting ones hold no descriptors.
 * Errors: ERR_NOT_FOUND: deleted since; ERR_SYSTEM.
 */
int staging_open(struct file_store *store, const char *owner, struct staging *s, struct err *e);

/* staging_fini - close and free all. */
void staging_fini(struct staging *s);

#endif
