/*
 * calls - the functions of the routes of LibreChat's API, each with its file.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_LIBRECHAT_CALLS_H
#define GLOVEBOX_LIBRECHAT_CALLS_H

#include <stddef.h>

#include "web/http.h"

/* exec.c */
void exec_run(struct request *r);

/* programmatic.c */
void programmatic_run(struct request *r);

/* storage.c: files of storage sessions; uploads of one or many */
bool storage_take(struct request *r, const char *bytes, size_t length);
void storage_run_upload(struct request *r);
void storage_run_download(struct request *r);
void storage_run_list(struct request *r);
void storage_run_describe(struct request *r);
void storage_run_delete(struct request *r);

/* routes.c */
void librechat_run_health(struct request *r);

#endif
