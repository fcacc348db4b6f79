/*
 * files - /v1/files: what clients upload, and what programs left.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_FILES_H
#define GLOVEBOX_SERVE_FILES_H

#include "base/err.h"
#include "serve/http.h"

/* The routes. An upload is written while it comes. */
bool files_take_upload(struct request *r, const char *bytes, size_t length);
void files_run_upload(struct request *r);
void files_run_list(struct request *r);
void files_run_get(struct request *r);
void files_run_delete(struct request *r);

/* files_refuse - the reply for an error of the store. */
void files_refuse(struct request *r, const struct err *e);

#endif
