/*
 * routes - the functions that routes.c names, each with its file.
 *
 * They answer their request, at once or later (web/http.h).
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_ROUTES_H
#define GLOVEBOX_SERVE_ROUTES_H

#include <stddef.h>

#include "request/gate.h"
#include "request/spool.h"
#include "web/http.h"
#include "web/request_id.h"

/* routes.c: a request of any face has ended: count it, log it, and release what it holds. */
void routes_forget(struct request *r);

/* The members of a site that are alike in each of a server. */
#define ROUTES_DUTIES                                                                              \
	.begin = request_id_give, .turn_away = gate_turn_away, .spool = spool_open,                \
	.dismiss = gate_dismiss, .forget = routes_forget, .refusal_type = "application/json"

/* about.c; the packages of the image as objects of a list */
void about_run(struct request *r);
void about_put_packages(const struct server *server, struct buf *out);

/* execute.c: in one reply, or as the output comes */
void execute_run(struct request *r);
void execute_run_streamed(struct request *r);

/* executions.c */
void executions_run_list(struct request *r);

/* health.c */
void health_run(struct request *r);       /* always 200 */
void health_run_ready(struct request *r); /* 503 if it cannot serve */

/* page.c: pages of one file each, and all other files */
void page_run(struct request *r);
void page_run_file(struct request *r); /* 404 for an unknown name */

/* metrics_text.c */
void metrics_text_run(struct request *r);

/* session_calls.c */
void session_calls_run_bash(struct request *r);
void session_calls_run_python(struct request *r);
void session_calls_run_python_streamed(struct request *r);
void session_calls_run_interrupt(struct request *r);

/* session_files.c */
void session_files_run_list(struct request *r);
void session_files_run_get(struct request *r);
void session_files_run_archive(struct request *r);
bool session_files_take(struct request *r, const char *bytes, size_t length);
void session_files_run_put(struct request *r);
void session_files_run_delete(struct request *r);

/* session_state.c */
void session_state_run_checkpoint(struct request *r);
void session_state_run_rollback(struct request *r);
void session_state_run_freeze(struct request *r);

#endif
