/*
 * schema - validate a JSON body, and list all its errors in the form of FastAPI (422, {"detail":
 * [{"type", "loc", "msg", "input"}]}).
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_SCHEMA_H
#define GLOVEBOX_REQUEST_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

#define SCHEMA_VALUES_MAX 10000 /* in one body */
#define SCHEMA_WRONG_MAX  100   /* entries; a last one says that there are more */
#define SCHEMA_INPUT_MAX  1024  /* bytes of an input; a longer one is cut and becomes a text */

struct schema {
	const char *text; /* the whole body; borrowed */
	size_t length;
	struct json *document; /* owned; NULL: not valid JSON */
	struct buf wrong;      /* the list, still open at its end */
	unsigned wrong_count;
	struct buf surplus; /* sink for entries beyond SCHEMA_WRONG_MAX; keeps one byte */
};

/*
 * schema_begin - parse a body that must be an object.
 * @type  the content type, or NULL; another one than JSON makes the body a text.
 * End it with schema_fini().
 */
void schema_begin(struct schema *s, const char *type, const char *text, size_t length);
void schema_fini(struct schema *s);

/*
 * Read members of the body, and note their errors. A missing member leaves *out unchanged; strings
 * are borrowed from the body. Whole numbers must be written as such: 1000.0 is an error.
 */
void schema_string(struct schema *s, const char *key, bool required, const char **out);
void schema_require(struct schema *s, const char *key); /* must be present, with any value */
void schema_whole(struct schema *s, const char *key, uint64_t min, uint64_t *out);
void schema_whole_within(struct schema *s, const char *key, uint64_t min, uint64_t max,
			 uint64_t *out);
void schema_truth(struct schema *s, const char *key, bool *out); /* also 0, 1, "yes", "off", ... */
const struct json *schema_list(struct schema *s, const char *key);
const struct json *schema_object(struct schema *s, const char *key);

/* A string of an object in a list: ["body", list, index, key]. */
void schema_item_string(struct schema *s, const char *list, size_t index, const struct json *item,
			const char *key, const char **out);

/*
 * Whether there are errors; then `detail`, which must be empty, becomes the body of the reply, of
 * less than 1 MiB.
 */
bool schema_is_wrong(struct schema *s, struct buf *detail);

#endif
