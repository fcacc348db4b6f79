/*
 * files - the routes of /v1/files: uploads of clients and outputs of programs.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_FILES_H
#define GLOVEBOX_REQUEST_FILES_H

#include "base/err.h"
#include "web/http.h"

/* Routes. An upload is written while it arrives. */
bool files_take_upload(struct request *r, const char *bytes, size_t length);
void files_run_upload(struct request *r);
void files_run_list(struct request *r);
void files_run_get(struct request *r);
void files_run_delete(struct request *r);

/* Other faces answer with the same files, or delete them; -1: not done, and not answered. */
int files_send(struct request *r, const char *id, struct err *e);
int files_delete(struct request *r, const char *id, void (*reply)(struct request *r),
		 struct err *e);

/* files_refuse - reply to an error of the store. */
void files_refuse(struct request *r, const struct err *e);

#endif
