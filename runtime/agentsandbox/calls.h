/*
 * calls - the functions of the routes of agent-sandbox's API, each with its file.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_AGENTSANDBOX_CALLS_H
#define GLOVEBOX_AGENTSANDBOX_CALLS_H

#include <stddef.h>

#include "web/http.h"

/* routes.c: of probes, which begin no sandbox */
void agentsandbox_run_root(struct request *r);
void agentsandbox_run_health(struct request *r);
void agentsandbox_run_metadata(struct request *r);

/* line.c: a command line */
void line_run(struct request *r);

/* older.c: files of the first runtime */
bool older_take(struct request *r, const char *bytes, size_t length);
void older_run_download(struct request *r);
void older_run_list(struct request *r);
void older_run_exists(struct request *r);

/* newer.c: files of sandboxd */
void newer_run_get(struct request *r);
bool newer_take(struct request *r, const char *bytes, size_t length);
void newer_run_delete(struct request *r);

#endif
