/*
 * form - the fields of a message, read and written by one table.
 *
 * A form lists the members of a struct that cross a socket as a JSON object, each with its type and
 * its bound. Reading is strict: a missing field that is not optional, an unknown field, a wrong
 * type and a value out of bounds are each refused by their path, "sessions[3].name".
 *
 * Numbers beyond 2^53, which JSON numbers cannot hold exactly, are written as strings of digits.
 *
 * No side effects. Runs: client, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_WIRE_FORM_H
#define GLOVEBOX_WIRE_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum field_kind {
	FIELD_TEXT,   /* const char *, never NULL after reading; max: bytes */
	FIELD_NUMBER, /* uint64_t; max: its value */
	FIELD_FLAG,   /* bool */
	FIELD_LIST,   /* struct form_list; max: items */
};

struct field {
	const char *key;
	enum field_kind kind;
	size_t offset; /* in the struct */
	uint64_t max;
	bool optional;            /* if missing: "", 0, false, no items */
	const struct form *items; /* of a list */
};

struct form {
	const struct field *fields; /* ends with a NULL key */
	size_t size;                /* of the struct */
};

/* The items of a list: an array of structs as its form describes. */
struct form_list {
	void *items; /* after reading owned: form_fini() */
	unsigned count;
};

/*
 * form_read - read an object's fields into the struct at *out.
 *
 * @but  a key of the object that is not in the form but allowed; or NULL.
 * @out  form->size bytes; end with form_fini(), even after an error. Texts are borrowed from the
 *       document.
 * Errors: ERR_INPUT.
 */
int form_read(const struct form *form, const struct json *object, const char *but, void *out,
	      struct err *e);
void form_fini(const struct form *form, void *out);

/*
 * form_write - append the struct as a JSON object; a NULL text is written as "".
 * @key  as in base/json_put.h.
 */
void form_write(const struct form *form, const char *key, const void *in, struct buf *out);

/* form_write_members - append its members to an object that was begun. */
void form_write_members(const struct form *form, const void *in, struct buf *out);

#endif
