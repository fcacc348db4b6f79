/*
 * routes - the routes of PandaStack's API, one row each.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/json_put.h"
#include "pandastack/calls.h"
#include "pandastack/pandastack.h"

#define NO_BODY HTTP_NO_BODY
#define BODY    (64u << 10)
#define CODE    (16u << 20)
#define ALL     "/v1/sandboxes"
#define ONE     ALL "/*"

/* clang-format off */
const struct route pandastack_routes[] = {
	{"POST", ALL, sandboxes_run_begin, BODY, false, NULL},
	{"GET", ALL, sandboxes_run_all, NO_BODY, false, NULL},
	{"GET", ONE, sandboxes_run_get, NO_BODY, false, NULL},
	{"DELETE", ONE, sandboxes_run_delete, NO_BODY, false, NULL},
	{"GET", ONE "/lifecycle", life_run_get, NO_BODY, false, NULL},
	{"PATCH", ONE "/lifecycle", life_run_patch, BODY, false, NULL},
	{"POST", ONE "/pause", life_run_pause, NO_BODY, false, NULL},
	{"POST", ONE "/hibernate", life_run_hibernate, NO_BODY, false, NULL},
	{"POST", ONE "/resume", life_run_resume, NO_BODY, false, NULL},
	{"POST", ONE "/wake", life_run_resume, NO_BODY, false, NULL},
	{"GET", ONE "/logs", life_run_logs, NO_BODY, false, NULL},
	{"GET", ONE "/ports", life_run_ports, NO_BODY, false, NULL},
	{"POST", ONE "/exec", command_run, CODE, false, NULL},
	{"POST", ONE "/exec/stream", command_run_streamed, CODE, false, NULL},
	{"POST", ONE "/repl/sessions", repl_run_open, BODY, false, NULL},
	{"POST", ONE "/repl/sessions/*/run", repl_run_code, CODE, false, NULL},
	{"DELETE", ONE "/repl/sessions/*", repl_run_close, NO_BODY, false, NULL},
	{"GET", ONE "/fs", paths_run_get, NO_BODY, false, NULL},
	{"PUT", ONE "/fs", paths_run_put, SIZE_MAX, false, paths_take},
	{"GET", ONE "/fs/dir", paths_run_list, NO_BODY, false, NULL},
	{"GET", ONE "/fs/stat", paths_run_stat, NO_BODY, false, NULL},
	{"POST", ONE "/snapshots", life_run_refused, NO_BODY, false, NULL},
	{"POST", ONE "/fork", life_run_refused, NO_BODY, false, NULL},
	{"POST", ONE "/fork-tree", life_run_refused, NO_BODY, false, NULL},
	{"POST", ONE "/promote", life_run_refused, NO_BODY, false, NULL},
	{NULL, NULL, NULL, 0, false, NULL},
};
/* clang-format on */

void pandastack_explain(unsigned status, const char *text, size_t length, struct buf *body)
{
	(void)status;
	json_put(body, "{error:%.*s}", (int)length, text);
}
