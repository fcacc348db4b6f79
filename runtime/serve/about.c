/*
 * about - GET /v1: a description of this server for programs.
 */
#include "serve/routes.h"

#include <string.h>

#include "base/json_put.h"
#include "request/server.h"

static void about_put_package(const char *entry, struct buf *out)
{
	const size_t length = strcspn(entry, " ");

	json_put_begin(out, NULL, '{');
	json_put_bytes(out, "name", entry, length);
	json_put_text(out, "version", entry + length + 1);
	json_put_end(out, '}');
}

static void about_put_face(const char *entry, struct buf *out)
{
	const size_t length = strcspn(entry, "=");

	json_put_begin(out, NULL, '{');
	json_put_bytes(out, "name", entry, length);
	json_put_text(out, "address", entry + length + 1);
	json_put_end(out, '}');
}

void about_run(struct request *r)
{
	const struct server *server = r->server;
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "version", GLOVEBOX_VERSION);
	json_put_text(&body, "image", server->image);
	json_put_begin(&body, "packages", '[');
	for (size_t i = 0; i < server->packages.count; i++)
		about_put_package(server->packages.items[i], &body);
	json_put_end(&body, ']');
	json_put_begin(&body, "faces", '[');
	for (size_t i = 0; i < server->faces.count; i++)
		about_put_face(server->faces.items[i], &body);
	json_put_end(&body, ']');
	json_put_end(&body, '}');
	request_reply(r, 200, "application/json", &body);
}
