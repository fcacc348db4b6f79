/*
 * calls - the functions of the routes of E2B's API, each with its file.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_CALLS_H
#define GLOVEBOX_E2B_CALLS_H

#include <stddef.h>

#include "web/http.h"

/* sandboxes.c */
void sandboxes_run_create(struct request *r);
void sandboxes_run_info(struct request *r);
void sandboxes_run_list(struct request *r);
void sandboxes_run_kill(struct request *r);
void sandboxes_run_timeout(struct request *r);
void sandboxes_run_connect(struct request *r);
void sandboxes_run_pause(struct request *r);
void sandboxes_run_metrics(struct request *r);
void sandboxes_run_snapshots(struct request *r); /* there are none */
void sandboxes_run_refused(struct request *r);   /* what is not served */
void sandboxes_run_health(struct request *r);

/* programs.c: process.Process */
void programs_run_start(struct request *r);
void programs_run_connect(struct request *r);
void programs_run_list(struct request *r);
void programs_run_input(struct request *r);
void programs_run_close(struct request *r);
void programs_run_signal(struct request *r);
void programs_run_update(struct request *r);
bool programs_take_stream(struct request *r, const char *bytes, size_t length);
void programs_run_stream(struct request *r);

/* tree.c: filesystem.Filesystem */
void tree_run_stat(struct request *r);
void tree_run_list(struct request *r);
void tree_run_make(struct request *r);
void tree_run_move(struct request *r);
void tree_run_remove(struct request *r);
void tree_run_watch(struct request *r);   /* as a stream */
void tree_run_watcher(struct request *r); /* polled by the next two */
void tree_run_events(struct request *r);
void tree_run_unwatch(struct request *r);

/* content.c: /files */
void content_run_get(struct request *r);
bool content_take(struct request *r, const char *bytes, size_t length);
void content_run_put(struct request *r);

/* Our name of the language that a client names; NULL: we have none. */
#define CONTEXTS_LANGUAGES "say python, bash or javascript"
const char *contexts_language(const char *text);

/* code.c: /execute; contexts.c: /contexts */
void code_run(struct request *r);
void contexts_run_create(struct request *r);
void contexts_run_list(struct request *r);
void contexts_run_drop(struct request *r);
void contexts_run_restart(struct request *r);

#endif
