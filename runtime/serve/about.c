/*
 * about - GET /v1: a description of this server for programs.
 */
#include "serve/routes.h"

#include <string.h>

#include "base/json_put.h"
#include "request/server.h"

void about_put_packages(const struct server *server, struct buf *out)
{
	for (size_t i = 0; i < server->packages.count; i++) {
		const char *entry = server->packages.items[i];
		const size_t length = strcspn(entry, " ");

		json_put(out, "{name:%.*s, version:%s}", (int)length, entry, entry + length + 1);
	}
}

static void about_put_faces(const struct server *server, struct buf *out)
{
	for (size_t i = 0; i < server->faces.count; i++) {
		const char *entry = server->faces.items[i];
		const size_t length = strcspn(entry, "=");

		json_put(out, "{name:%.*s, address:%s}", (int)length, entry, entry + length + 1);
	}
}

void about_run(struct request *r)
{
	auto_buf struct buf body = {0};

	json_put(&body, "{version:%s, image:%s, packages:[", GLOVEBOX_VERSION, r->server->image);
	about_put_packages(r->server, &body);
	json_put(&body, "], faces:[");
	about_put_faces(r->server, &body);
	json_put(&body, "]}");
	request_reply(r, 200, "application/json", &body);
}
