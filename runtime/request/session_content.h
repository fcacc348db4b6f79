/*
 * session_content - the content of files of a session: from the session to the client, and back.
 *
 * Contents pass through an unnamed file on our disk, not through memory: a program could change its
 * own copy while it is read, and a slow client would block the session for others. The key is
 * charged for it.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_SESSION_CONTENT_H
#define GLOVEBOX_REQUEST_SESSION_CONTENT_H

#include "request/session_work.h"

/* Work on files. @path  copied; below /workspace, or absolute. */
struct session_work *session_content_new(struct request *r, const char *name,
					 enum files_action action, const char *path,
					 bool (*answer)(struct session_work *w));

/* A path as clients write it, absolute and without dots: from the home directory. Owned. */
char *session_content_path(const char *home, const char *text);

/* Get a file or an archive: wait for a place, then start. `answer` replies with it. */
void session_content_get(struct session_work *w);

/* Reply with what was got; and an `answer` that does it, with bytes of any kind. */
void session_content_reply(struct session_work *w, const char *type);
bool session_content_answer(struct session_work *w);

/*
 * The entries that a listing has; owned. Whether the listing is of a file, which is in it alone;
 * and the name of an entry, without its path; borrowed.
 */
struct json *session_content_entries(const struct session_work *w);
bool session_content_is_file(const struct session_work *w, const struct json *entries);
const char *session_content_name(const struct json *entry);

/* Begin to take a content for a put, and take a piece. -1: it is refused, see w->e. */
int session_content_open(struct session_work *w);
int session_content_add(struct session_work *w, const char *bytes, size_t length);

/* Forget what came of it. */
void session_content_drop(struct session_work *w);

/* All of it is there: put it from its beginning. -1: w->e. */
int session_content_rewind(struct session_work *w);

#endif
