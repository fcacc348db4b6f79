/*
 * calls - the functions of the routes of PandaStack's API, each with its file.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_PANDASTACK_CALLS_H
#define GLOVEBOX_PANDASTACK_CALLS_H

#include <stddef.h>

#include "web/http.h"

/* sandboxes.c */
void sandboxes_run_begin(struct request *r);
void sandboxes_run_get(struct request *r);
void sandboxes_run_all(struct request *r);
void sandboxes_run_delete(struct request *r);

/* life.c */
void life_run_get(struct request *r);
void life_run_patch(struct request *r);
void life_run_pause(struct request *r);
void life_run_hibernate(struct request *r);
void life_run_resume(struct request *r);
void life_run_logs(struct request *r);  /* none are kept */
void life_run_ports(struct request *r); /* none are published */
void life_run_refused(struct request *r);

/* command.c: exec */
void command_run(struct request *r);
void command_run_streamed(struct request *r);

/* repl.c: contexts of the interpreter */
void repl_run_open(struct request *r);
void repl_run_code(struct request *r);
void repl_run_close(struct request *r);

/* paths.c: fs */
void paths_run_get(struct request *r);
bool paths_take(struct request *r, const char *bytes, size_t length);
void paths_run_put(struct request *r);
void paths_run_list(struct request *r);
void paths_run_stat(struct request *r);

#endif
