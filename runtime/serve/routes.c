/*
 * routes - the routes of the server, one row each.
 */
#include <stddef.h>
#include <stdint.h>

#include "serve/routes.h"

#include "request/charge.h"
#include "request/files.h"
#include "request/server.h"
#include "serve/faces.h"
#include "serve/mcp_http.h"

#define NO_BODY   HTTP_NO_BODY
#define CODE_BODY (16u << 20)

/* clang-format off */
const struct route routes[] = {
	{"GET", "/health", health_run, NO_BODY, true, NULL},
	{"GET", "/ready", health_run_ready, NO_BODY, true, NULL},
	{"GET", "/metrics", metrics_text_run, NO_BODY, false, NULL},
	{"GET", "/v1", about_run, NO_BODY, false, NULL},
	{"POST", "/v1/execute", execute_run, CODE_BODY, false, NULL},
	{"POST", "/v1/execute/stream", execute_run_streamed, CODE_BODY, false, NULL},
	{"GET", "/v1/executions", executions_run_list, NO_BODY, false, NULL},
	{"POST", "/v1/files", files_run_upload, SIZE_MAX, false, files_take_upload},
	{"GET", "/v1/files", files_run_list, NO_BODY, false, NULL},
	{"GET", "/v1/files/*", files_run_get, NO_BODY, false, NULL},
	{"DELETE", "/v1/files/*", files_run_delete, NO_BODY, false, NULL},
	{"POST", "/v1/sessions", sessions_run_create, CODE_BODY, false, NULL},
	{"GET", "/v1/sessions", sessions_run_list, NO_BODY, false, NULL},
	{"PATCH", "/v1/sessions/*", sessions_run_patch, NO_BODY, false, NULL},
	{"DELETE", "/v1/sessions/*", sessions_run_delete, NO_BODY, false, NULL},
	{"POST", "/v1/sessions/*/bash", session_calls_run_bash, CODE_BODY, false, NULL},
	{"POST", "/v1/sessions/*/python", session_calls_run_python, CODE_BODY, false, NULL},
	{"POST", "/v1/sessions/*/python/stream", session_calls_run_python_streamed, CODE_BODY, false, NULL},
	{"POST", "/v1/sessions/*/interrupt", session_calls_run_interrupt, NO_BODY, false, NULL},
	{"GET", "/v1/sessions/*/files", session_files_run_list, NO_BODY, false, NULL},
	{"GET", "/v1/sessions/*/files.tar", session_files_run_archive, NO_BODY, false, NULL},
	{"GET", "/v1/sessions/*/files/**", session_files_run_get, NO_BODY, false, NULL},
	{"PUT", "/v1/sessions/*/files/**", session_files_run_put, SIZE_MAX, false, session_files_take},
	{"DELETE", "/v1/sessions/*/files/**", session_files_run_delete, NO_BODY, false, NULL},
	{"POST", "/v1/sessions/*/checkpoint", session_state_run_checkpoint, NO_BODY, false, NULL},
	{"POST", "/v1/sessions/*/rollback", session_state_run_rollback, NO_BODY, false, NULL},
	{"POST", "/v1/sessions/*/freeze", session_state_run_freeze, NO_BODY, false, NULL},
	{"POST", "/mcp", mcp_http_run, MCP_HTTP_BODY, false, NULL},
	{"DELETE", "/mcp", mcp_http_run_end, NO_BODY, false, NULL},
	{"GET", "/", page_run, NO_BODY, true, NULL},
	{"GET", "/docs", page_run, NO_BODY, true, NULL},
	{"GET", "/openapi.json", page_run, NO_BODY, true, NULL},
	{"GET", "/page/*", page_run_file, NO_BODY, true, NULL},
	{NULL, NULL, NULL, 0, false, NULL},
};
/* clang-format on */

void routes_forget(struct request *r)
{
	metrics_request(&r->server->metrics, faces_number_of(r->route), request_status(r));
	log_request(&r->server->log, r);
	charge_release(r);
	gate_forget(r);
}

const struct site routes_site = {
	ROUTES_DUTIES,
	.routes = routes,
	.admit = gate_admit,
	.explain = gate_explain,
};
