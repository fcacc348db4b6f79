/*
 * answer - replies in the Engine's form.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_ANSWER_H
#define GLOVEBOX_ENGINE_ANSWER_H

#include "base/json.h"
#include "record/record.h"
#include "service/verb.h"
#include "web/http.h"

#define ANSWER_JSON "application/json"

/* @body  taken over. */
void answer_json(struct request *r, unsigned status, struct buf *body);
void answer_nothing(struct request *r, unsigned status);

/* Shapes of replies (engine/reply.h): 200 with the JSON that the command has printed, as it is; */
void answer_same(struct request *r, const struct verb_result *result, void *data);
/* with the one object of a list; */
void answer_one(struct request *r, const struct verb_result *result, void *data);
/* 201 with {"Id": the first line}. */
void answer_id(struct request *r, const struct verb_result *result, void *data);

/* The one object of a list that `inspect` has printed. */
void answer_only(struct request *r, unsigned status, const struct buf *printed);

/* The first line that a command has printed; owned. */
char *answer_line(const struct verb_result *result);

/* Append a list of the lines that a command has printed. */
void answer_put_lines(const char *key, const struct buf *printed, struct buf *out);

/* The status by the kind of the error, and {"message": ...}. */
void answer_error(struct request *r, const struct err *e);

/*
 * answer_find - the sandbox that the first star of the path names.
 * Returns false: there is none, and the request is answered.
 */
bool answer_find(struct request *r, struct record *out);

/*
 * answer_body - the JSON object of the body; an empty body is an empty object.
 * Owned; NULL: it is none, and the request is answered.
 */
struct json *answer_body(struct request *r);

/* A member, whatever the case of its name; of several the last one counts. NULL: missing or null.
 */
const struct json *answer_member(const struct json *object, const char *name);
const char *answer_member_text(const struct json *object, const char *name); /* or "" */
bool answer_member_is_true(const struct json *object, const char *name);

#endif
