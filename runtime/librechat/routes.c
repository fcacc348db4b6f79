/*
 * routes - the routes of LibreChat's API, one row each.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/json_put.h"
#include "librechat/calls.h"
#include "librechat/librechat.h"
#include "request/gate.h"

#define NO_BODY HTTP_NO_BODY
#define CODE    (16u << 20)
#define OBJECT  "/v1/sessions/*/objects/*"

/* clang-format off */
const struct route librechat_routes[] = {
	{"GET", "/v1/health", librechat_run_health, NO_BODY, true, NULL},
	{"POST", "/v1/exec", exec_run, CODE, false, NULL},
	{"POST", "/v1/exec/programmatic", programmatic_run, CODE, false, NULL},
	{"POST", "/v1/upload", storage_run_upload, SIZE_MAX, false, storage_take},
	{"POST", "/v1/upload/batch", storage_run_upload, SIZE_MAX, false, storage_take},
	{"GET", "/v1/download/*/*", storage_run_download, NO_BODY, false, NULL},
	{"GET", "/v1/files/*", storage_run_list, NO_BODY, false, NULL},
	{"DELETE", "/v1/files/*/*", storage_run_delete, NO_BODY, false, NULL},
	{"GET", OBJECT, storage_run_describe, NO_BODY, false, NULL},
	{"DELETE", OBJECT, storage_run_delete, NO_BODY, false, NULL},
	{NULL, NULL, NULL, 0, false, NULL},
};
/* clang-format on */

/* A client that wants its session's processes to go on would not notice that they do not. */
bool librechat_admit(struct request *r)
{
	const char *profile = request_header(r, "X-CodeAPI-Expected-Profile");

	if (!profile || !strcmp(profile, "default"))
		return gate_admit(r);
	request_refuse(r, 409, "execution_profile_mismatch");
	return false;
}

void librechat_explain(unsigned status, const char *text, size_t length, struct buf *body)
{
	(void)status;
	json_put(body, "{error:%.*s}", (int)length, text);
}

void librechat_run_health(struct request *r)
{
	auto_buf struct buf body = {0};

	buf_text(&body, "OK");
	request_reply(r, 200, "text/plain", &body);
}
