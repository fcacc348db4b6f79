/*
 * schema - what a JSON body must have, and the list of everything that is wrong with it, in the
 * form that clients of FastAPI know (422, {"detail": [{"type", "loc", "msg", "input"}]}).
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SCHEMA_H
#define GLOVEBOX_SERVE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

#define SCHEMA_VALUES_MAX 10000 /* in one body */
#define SCHEMA_WRONG_MAX  100   /* entries; one more says that there are more */
#define SCHEMA_INPUT_MAX  1024  /* bytes of an input; a longer one becomes a text, cut */

struct schema {
	const char *text; /* of the whole body; borrowed */
	size_t length;
	struct json *document; /* owned; NULL: it cannot be read */
	struct buf wrong;      /* the list, without its end */
	unsigned wrong_count;
	struct buf surplus; /* where entries beyond SCHEMA_WRONG_MAX go; keeps one byte */
};

/*
 * schema_begin - read a body that must be an object.
 * @type  the content type, or NULL: one that is not JSON makes the body a text.
 * End it with schema_fini().
 */
void schema_begin(struct schema *s, const char *type, const char *text, size_t length);
void schema_fini(struct schema *s);

/*
 * Members of the body, each with what is wrong noted. What is missing stays as it was; a string is
 * borrowed from the body. Whole numbers are written as such: 1000.0 is none.
 */
void schema_string(struct schema *s, const char *key, bool required, const char **out);
void schema_require(struct schema *s, const char *key); /* it is to be there, whatever it is */
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
 * Whether anything is wrong; then `detail`, which is empty, becomes the whole body of the reply:
 * less than 1 MiB, whatever was sent.
 */
bool schema_is_wrong(struct schema *s, struct buf *detail);

#endif
