/*
 * head - parse the head of a request (RFC 9112), so that every reader of it understands the same.
 *
 * A proxy in front of us may read an ambiguous head differently (request smuggling), and of a
 * duplicate header one copy might be checked and the other one used. So it is strict where servers
 * are lenient: lines end with CR LF, a header has a name, no blank before its colon, no control
 * character and no second line, and what frames or identifies a request is there once at most.
 *
 * No side effects, no allocation. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HEAD_H
#define GLOVEBOX_WEB_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAD_BYTES  16384 /* of a whole head */
#define HEAD_FIELDS 128

struct head_field {
	const char *name;
	const char *value; /* without blanks around it */
};

struct head {
	const char *method;
	const char *path;  /* as sent, up to a question mark */
	const char *query; /* behind it, as sent; "": none */
	bool is_http10;
	bool is_last;      /* the connection ends with the reply */
	bool is_chunked;   /* the length of the body is not known */
	bool has_length;   /* Content-Length */
	uint64_t length;   /* of the body; 0: none, or chunks */
	bool asks_first;   /* Expect: 100-continue */
	unsigned status;   /* of a refusal; 0: the head is good */
	const char *wrong; /* why it is refused: a literal */
	unsigned count;
	struct head_field fields[HEAD_FIELDS];
};

/*
 * head_size - find the end of a head.
 *
 * @seen  bytes that an earlier call has seen without finding it; updated. 0 at first.
 * Returns its length, with the empty line; 0: more bytes are needed. A line that does not end with
 * CR LF ends the head, for head_parse() to refuse it.
 */
size_t head_size(const char *bytes, size_t length, size_t *seen);

/*
 * head_parse - parse a whole head.
 *
 * @text  `length` bytes, as head_size() found them; changed. It outlives *out, which points into
 * it.
 * @out   with status 400, 413, 431 or 505 if it is refused: then with what was understood of it,
 * for the log. method and path are never NULL.
 */
void head_parse(char *text, size_t length, struct head *out);

/* Return the first header of that name, or NULL. */
const char *head_field(const struct head *head, const char *name);

/* Return how often a header occurs. */
unsigned head_field_count(const struct head *head, const char *name);

/* Whether a list of words, as in Connection, has this one. */
bool head_list_has(const char *list, const char *word);

#endif
