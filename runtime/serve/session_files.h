/*
 * session_files - the files in the /workspace of a session: /v1/sessions/ID/files, and all of them
 * as /files.tar.
 *
 * Contents pass through an unnamed file on our disk, not through memory: a program could change its
 * own copy while it is read, and a slow client would block the session for others.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SESSION_FILES_H
#define GLOVEBOX_SERVE_SESSION_FILES_H

#include <stddef.h>

#include "web/http.h"

/* Routes. */
void session_files_run_list(struct request *r);
void session_files_run_get(struct request *r);
void session_files_run_archive(struct request *r);
bool session_files_take(struct request *r, const char *bytes, size_t length);
void session_files_run_put(struct request *r);
void session_files_run_delete(struct request *r);

#endif
