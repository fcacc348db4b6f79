/*
 * staging - the files that a request wants in a workspace; serve/outputs.h has those that come out
 * of it again.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_STAGING_H
#define GLOVEBOX_SERVE_STAGING_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/file_store.h"
#include "serve/schema.h"
#include "service/script.h"

#define STAGING_FILES_MAX 256

struct staging {
	struct script_file *files; /* owned, with their paths and descriptors */
	struct stored_file *stored;
	struct file_store_hold *holds; /* of what is open */
	size_t count;
};

/*
 * staging_read - the member "files" of a body: [{"path", "file_id"}]. What is wrong with its form
 * is noted in the schema; nothing is looked up yet.
 */
struct staging_names {
	const char *path;
	const char *id;
};

/* Returns how many there are; owned: free(). */
size_t staging_read(struct schema *body, struct staging_names **out);

/*
 * staging_plan - look them up, in their order. Touches no disk, and opens nothing.
 * @out   end with staging_fini(), after an error as well.
 * Errors: ERR_NOT_FOUND (404), ERR_INPUT (422): the text is for the caller.
 */
int staging_plan(const struct file_store *store, const char *owner,
		 const struct staging_names *names, size_t count, bool has_entrypoint,
		 struct staging *out, struct err *e);

/*
 * staging_open - open them, a descriptor each: for whoever has his place, not for those who wait.
 * Errors: ERR_NOT_FOUND: it has been deleted since; ERR_SYSTEM.
 */
int staging_open(struct file_store *store, const char *owner, struct staging *s, struct err *e);

/* staging_fini - close and free what is in it. */
void staging_fini(struct staging *s);

#endif
