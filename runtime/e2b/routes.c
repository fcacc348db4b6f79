/*
 * routes - the routes of E2B's API, one row each.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/json_put.h"
#include "e2b/calls.h"
#include "e2b/e2b.h"

#define NO_BODY HTTP_NO_BODY
#define BODY    (1u << 20)
#define CODE    (16u << 20)
#define INPUT   (8u << 20)
#define PROCESS "/process.Process/"
#define TREE    "/filesystem.Filesystem/"

/* clang-format off */
const struct route e2b_routes[] = {
	{"POST", "/v2/sandboxes", sandboxes_run_create, BODY, false, NULL},
	{"POST", "/sandboxes", sandboxes_run_create, BODY, false, NULL},
	{"GET", "/v2/sandboxes", sandboxes_run_list, NO_BODY, false, NULL},
	{"GET", "/sandboxes", sandboxes_run_list, NO_BODY, false, NULL},
	{"GET", "/sandboxes/*", sandboxes_run_info, NO_BODY, false, NULL},
	{"DELETE", "/sandboxes/*", sandboxes_run_kill, NO_BODY, false, NULL},
	{"POST", "/sandboxes/*/timeout", sandboxes_run_timeout, NO_BODY, false, NULL},
	{"POST", "/v2/sandboxes/*/connect", sandboxes_run_connect, NO_BODY, false, NULL},
	{"POST", "/sandboxes/*/connect", sandboxes_run_connect, NO_BODY, false, NULL},
	{"POST", "/sandboxes/*/resume", sandboxes_run_connect, NO_BODY, false, NULL},
	{"POST", "/sandboxes/*/pause", sandboxes_run_pause, NO_BODY, false, NULL},
	{"GET", "/sandboxes/*/metrics", sandboxes_run_metrics, NO_BODY, false, NULL},
	{"GET", "/snapshots", sandboxes_run_snapshots, NO_BODY, false, NULL},
	{"POST", "/sandboxes/*/snapshots", sandboxes_run_refused, NO_BODY, false, NULL},
	{"POST", "/sandboxes/*/fork", sandboxes_run_refused, NO_BODY, false, NULL},
	{"PUT", "/sandboxes/*/network", sandboxes_run_refused, NO_BODY, false, NULL},
	{"DELETE", "/templates/*", sandboxes_run_refused, NO_BODY, false, NULL},
	{"GET", "/health", sandboxes_run_health, NO_BODY, false, NULL},
	{"POST", "/execute", code_run, CODE, false, NULL},
	{"GET", "/contexts", contexts_run_list, NO_BODY, false, NULL},
	{"POST", "/contexts", contexts_run_create, BODY, false, NULL},
	{"DELETE", "/contexts/*", contexts_run_drop, NO_BODY, false, NULL},
	{"POST", "/contexts/*/restart", contexts_run_restart, NO_BODY, false, NULL},
	{"GET", "/files", content_run_get, NO_BODY, false, NULL},
	{"POST", "/files", content_run_put, SIZE_MAX, false, content_take},
	{"POST", PROCESS "Start", programs_run_start, BODY, false, NULL},
	{"POST", PROCESS "Connect", programs_run_connect, BODY, false, NULL},
	{"POST", PROCESS "List", programs_run_list, BODY, false, NULL},
	{"POST", PROCESS "SendInput", programs_run_input, INPUT, false, NULL},
	{"POST", PROCESS "StreamInput", programs_run_stream, SIZE_MAX, false, programs_take_stream},
	{"POST", PROCESS "CloseStdin", programs_run_close, BODY, false, NULL},
	{"POST", PROCESS "SendSignal", programs_run_signal, BODY, false, NULL},
	{"POST", PROCESS "Update", programs_run_update, BODY, false, NULL},
	{"POST", TREE "Stat", tree_run_stat, BODY, false, NULL},
	{"POST", TREE "ListDir", tree_run_list, BODY, false, NULL},
	{"POST", TREE "MakeDir", tree_run_make, BODY, false, NULL},
	{"POST", TREE "Move", tree_run_move, BODY, false, NULL},
	{"POST", TREE "Remove", tree_run_remove, BODY, false, NULL},
	{"POST", TREE "WatchDir", tree_run_watch, BODY, false, NULL},
	{"POST", TREE "CreateWatcher", tree_run_watcher, BODY, false, NULL},
	{"POST", TREE "GetWatcherEvents", tree_run_events, BODY, false, NULL},
	{"POST", TREE "RemoveWatcher", tree_run_unwatch, BODY, false, NULL},
	{NULL, NULL, NULL, 0, false, NULL},
};
/* clang-format on */

void e2b_explain(unsigned status, const char *text, size_t length, struct buf *body)
{
	json_put(body, "{code:%u, message:%.*s}", status, (int)length, text);
}
