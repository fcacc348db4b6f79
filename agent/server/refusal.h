/*
 * refusal - what a server refused or failed at, in one line with its remedy.
 */
#ifndef GLOVEBOX_AGENT_REFUSAL_H
#define GLOVEBOX_AGENT_REFUSAL_H

#include "agent/server/server.h"

/* For an outcome other than HTTP_ANSWERED. Always -1. */
int refusal_of_transport(const struct server *s, const struct http_answer *answer,
			 enum model_failure *why, struct err *e);

/* For an answer whose status is not 200. Always -1. */
int refusal_of_status(struct server *s, const struct http_answer *answer, const char *path,
		      const char *model, enum model_failure *why, struct err *e);

/* For an error inside an answer whose status is 200; `text` is the server's. Always -1. */
int refusal_of_stream(struct server *s, const char *text, const char *model,
		      enum model_failure *why, struct err *e);

/*
 * refusal_text - the text of an error member of an answer.
 *
 * @document  {"error": "..."} or {"error": {"message": "..."}}.
 * Returns NULL when it has no error.
 */
const char *refusal_text(const struct json *document);

/* Whether both names mean one model: `x` is `x:latest`, in any case of letters. */
bool model_same(const char *a, const char *b);

#endif
