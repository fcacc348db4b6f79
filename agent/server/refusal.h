/*
 * refusal - word the refusal or failure of a server in one line with its remedy.
 */
#ifndef GLOVEBOX_AGENT_REFUSAL_H
#define GLOVEBOX_AGENT_REFUSAL_H

#include "agent/server/server.h"

/* Word an outcome other than HTTP_ANSWERED. Always -1. */
int refusal_of_transport(const struct server *s, const struct http_answer *answer,
			 enum model_failure *why, struct err *e);

/* Word an answer whose status is not 200. Always -1. */
int refusal_of_status(struct server *s, const struct http_answer *answer, const char *path,
		      const char *model, enum model_failure *why, struct err *e);

/* Word an error inside an answer with status 200; `text` is the server's. Always -1. */
int refusal_of_stream(struct server *s, const char *text, const char *model,
		      enum model_failure *why, struct err *e);

/*
 * refusal_text - find the text of an error member.
 *
 * @document  {"error": "..."} or {"error": {"message": "..."}}.
 * Returns NULL without an error.
 */
const char *refusal_text(const struct json *document);

/* Whether both names mean one model: `x` is `x:latest`, ignoring case. */
bool model_same(const char *a, const char *b);

#endif
