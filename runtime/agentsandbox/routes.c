/*
 * routes - the routes of agent-sandbox's API, one row each.
 */
#include <stddef.h>
#include <stdint.h>

#include "agentsandbox/agentsandbox.h"
#include "agentsandbox/calls.h"
#include "agentsandbox/claim.h"
#include "base/json_put.h"
#include "loop/clock.h"

#define NO_BODY HTTP_NO_BODY
#define CODE    (1u << 20)
#define JSON    "application/json"

/* clang-format off */
const struct route agentsandbox_routes[] = {
	{"GET", "/", agentsandbox_run_root, NO_BODY, true, NULL},
	{"GET", "/healthz", agentsandbox_run_health, NO_BODY, true, NULL},
	{"POST", "/execute", line_run, CODE, false, NULL},
	{"POST", "/upload", claim_run_upload, SIZE_MAX, false, older_take},
	{"GET", "/download/", older_run_download, NO_BODY, false, NULL},
	{"GET", "/download/**", older_run_download, NO_BODY, false, NULL},
	{"GET", "/list/", older_run_list, NO_BODY, false, NULL},
	{"GET", "/list/**", older_run_list, NO_BODY, false, NULL},
	{"GET", "/exists/", older_run_exists, NO_BODY, false, NULL},
	{"GET", "/exists/**", older_run_exists, NO_BODY, false, NULL},
	{"GET", "/v1/health", agentsandbox_run_health, NO_BODY, true, NULL},
	{"GET", "/v1/metadata", agentsandbox_run_metadata, NO_BODY, false, NULL},
	{"GET", "/v1/files/", newer_run_get, NO_BODY, false, NULL},
	{"GET", "/v1/files/**", newer_run_get, NO_BODY, false, NULL},
	{"PUT", "/v1/files/", claim_run_upload, SIZE_MAX, false, newer_take},
	{"PUT", "/v1/files/**", claim_run_upload, SIZE_MAX, false, newer_take},
	{"DELETE", "/v1/files/", newer_run_delete, NO_BODY, false, NULL},
	{"DELETE", "/v1/files/**", newer_run_delete, NO_BODY, false, NULL},
	{NULL, NULL, NULL, 0, false, NULL},
};
/* clang-format on */

static const char *routes_code(unsigned status)
{
	switch (status) {
	case 400:
	case 422:
		return "INVALID_ARGUMENT";
	case 401:
		return "UNAUTHENTICATED";
	case 403:
		return "PERMISSION_DENIED";
	case 404:
		return "NOT_FOUND";
	case 409:
		return "CONFLICT";
	default:
		return status == 500 ? "INTERNAL" : "UNAVAILABLE";
	}
}

void agentsandbox_explain(unsigned status, const char *text, size_t length, struct buf *body)
{
	json_put(body, "{code:%s, message:%.*s, detail:%.*s}", routes_code(status), (int)length,
		 text, (int)length, text);
}

void agentsandbox_run_root(struct request *r)
{
	auto_buf struct buf body = {0};

	json_put(&body, "{status:'ok', message:'Sandbox Runtime is active.'}");
	request_reply(r, 200, JSON, &body);
}

void agentsandbox_run_health(struct request *r)
{
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "status", "ok");
	if (r->path[1] == 'v')
		json_put_uint(&body, "uptime_seconds", monotonic_us() / 1000000);
	json_put_end(&body, '}');
	request_reply(r, 200, JSON, &body);
}

/* A sandbox has no variables that are for its clients. */
void agentsandbox_run_metadata(struct request *r)
{
	auto_buf struct buf body = {0};

	json_put(&body, "{env:{}}");
	request_reply(r, 200, JSON, &body);
}
