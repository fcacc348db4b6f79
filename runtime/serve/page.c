/*
 * page - the web page at /, the API's documentation at /docs, its OpenAPI document, and the files
 * of both (runtime/serve/page/), which are compiled in.
 *
 * The page is a client like any other: loading it needs no key, all its requests do. It loads
 * nothing from other sites, and Content-Security-Policy keeps the browser from other requests and
 * from foreign scripts.
 */
#include "serve/routes.h"

#include <stdio.h>
#include <string.h>

#include "base/encode.h"
#include "spec/spec.h"

#include "page_files.h"

#define VERSION  "@VERSION@" /* replaced by our version when sent */
#define TAG_SIZE (DIGEST_HEX + 2)

/*
 * Nothing that a program, a file or another site says can become a script or send a request. Images
 * come from the API, as bytes that our script declares to be an image.
 */
#define POLICY                                                                                     \
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "            \
	"img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; "                        \
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

static const struct {
	const char *route;
	const char *name;
} page_names[] = {
	{"/",             "index.html"  },
	{"/docs",         "docs.html"   },
	{"/openapi.json", "openapi.json"},
};

static const struct {
	const char *ending;
	const char *type;
} page_types[] = {
	{".html", "text/html; charset=utf-8"      },
	{".css",  "text/css; charset=utf-8"       },
	{".js",   "text/javascript; charset=utf-8"},
	{".json", "application/json"              },
	{".svg",  "image/svg+xml"                 },
};

static const char *page_type(const char *name)
{
	const char *ending = strrchr(name, '.');

	for (size_t i = 0; ending && i < sizeof(page_types) / sizeof(page_types[0]); i++) {
		if (!strcmp(page_types[i].ending, ending))
			return page_types[i].type;
	}
	return "application/octet-stream";
}

static void page_put(const struct mount_file *file, struct buf *out)
{
	const size_t length = strlen(VERSION);
	const char *at = memmem(file->bytes, file->length, VERSION, length);
	const char *rest = at ? at + length : file->bytes;

	if (at) {
		buf_add(out, file->bytes, (size_t)(at - file->bytes));
		buf_text(out, GLOVEBOX_VERSION);
	}
	buf_add(out, rest, file->length - (size_t)(rest - file->bytes));
}

/* Browsers cache a file, but revalidate it each time, so that they notice an upgrade. */
static void page_send(struct request *r, const struct mount_file *file)
{
	const char *known = request_header(r, "If-None-Match");
	char digest[DIGEST_HEX];
	auto_buf struct buf body = {0};
	char tag[TAG_SIZE];

	page_put(file, &body);
	digest_hex(body.data, body.length, digest);
	snprintf(tag, sizeof(tag), "\"%s\"", digest);
	request_set_header(r, "ETag", tag);
	request_set_header(r, "Cache-Control", "no-cache");
	request_set_header(r, "Content-Security-Policy", POLICY);
	request_set_header(r, "Referrer-Policy", "no-referrer");
	if (known && strstr(known, tag))
		request_reply(r, 304, NULL, NULL);
	else
		request_reply(r, 200, page_type(file->name), &body);
}

static void page_find(struct request *r, const char *name)
{
	for (const struct mount_file *file = files; file->name; file++) {
		if (!strcmp(file->name, name)) {
			page_send(r, file);
			return;
		}
	}
	request_refuse(r, 404, "Not Found");
}

void page_run(struct request *r)
{
	const char *name = "";

	for (size_t i = 0; i < sizeof(page_names) / sizeof(page_names[0]); i++) {
		if (!strcmp(page_names[i].route, r->route->path))
			name = page_names[i].name;
	}
	page_find(r, name);
}

void page_run_file(struct request *r)
{
	page_find(r, r->segments[0]);
}
