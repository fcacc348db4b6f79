/*
 * mcp_resources - the files of sessions as resources: the targets of links in results.
 */
#include "mcp/mcp_resources.h"

#include <string.h>

#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/utf8.h"
#include "mcp/mcp_call.h"
#include "mcp/mcp_files.h"
#include "mcp/mcp_text.h"
#include "workspace/files_path.h"

#define LISTED_MOST 1000
#define READ_PART   3 /* of a result's bytes; Base64 takes a third more */

/* -- the list -------------------------------------------------------------------------------- */

static void mcp_resources_put(const struct mcp_session *s, const struct mcp_file *f,
			      struct buf *out)
{
	json_put_begin(out, NULL, '{');
	mcp_text_put_uri(out, "uri", s->handle, f->path);
	json_put_text(out, "name", f->path);
	json_put_text(out, "mimeType", mcp_text_type(f->path));
	json_put_uint(out, "size", f->size);
	json_put_end(out, '}');
}

void mcp_resources_list(struct mcp_request *r)
{
	const struct mcp_connection *connection = r->rpc->owner;
	auto_buf struct buf out = {0};
	size_t left = LISTED_MOST;

	mcp_result_begin(r, &out);
	json_put_begin(&out, "resources", '[');
	for (const struct mcp_session *s = connection->sessions; s; s = s->next) {
		for (size_t i = 0; i < s->listing.count && left; i++, left--)
			mcp_resources_put(s, &s->listing.files[i], &out);
	}
	json_put_end(&out, ']');
	mcp_result_put_cache(r, MCP_CHANGES, &out);
	json_put_end(&out, '}');
	mcp_request_reply(r, &out);
}

void mcp_resources_list_templates(struct mcp_request *r)
{
	auto_buf struct buf out = {0};

	mcp_result_begin(r, &out);
	json_put_begin(&out, "resourceTemplates", '[');
	json_put_begin(&out, NULL, '{');
	json_put_text(&out, "uriTemplate", MCP_URI "{session}/{+path}");
	json_put_text(&out, "name", "file");
	json_put_text(&out, "description", "a file below /workspace of a session");
	json_put_end(&out, '}');
	json_put_end(&out, ']');
	mcp_result_put_cache(r, MCP_STAYS, &out);
	json_put_end(&out, '}');
	mcp_request_reply(r, &out);
}

/* -- one resource ---------------------------------------------------------------------------- */

static int mcp_resources_hex(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Decode %XX up to `end`; NULL: malformed, or it has a NUL. */
static char *mcp_resources_decode(const char *text, const char *end)
{
	auto_buf struct buf out = {0};

	for (; text < end; text++) {
		int high = *text == '%' ? mcp_resources_hex(text[1]) : 0;
		int low = *text == '%' && high >= 0 ? mcp_resources_hex(text[2]) : 0;
		char byte = *text == '%' ? (char)(high * 16 + low) : *text;

		if (high < 0 || low < 0 || !byte)
			return NULL;
		buf_add(&out, &byte, 1);
		text += *text == '%' ? 2 : 0;
	}
	return own_strdup(buf_string(&out));
}

/* Reading begins no session: a session must be there already. */
static int mcp_resources_ask(struct mcp_call *c, struct err *e)
{
	const char *uri = json_string_at(c->request->params, "uri");
	const char *slash = strncmp(uri, MCP_URI, strlen(MCP_URI)) != 0
				    ? NULL
				    : strchr(uri + strlen(MCP_URI), '/');
	struct files_path path;

	c->handle = slash ? mcp_resources_decode(uri + strlen(MCP_URI), slash) : NULL;
	c->path = slash ? mcp_resources_decode(slash + 1, slash + strlen(slash)) : NULL;
	if (!c->handle || !c->path || files_path_set(&path, c->path, e))
		return err_set(e, ERR_NOT_FOUND, "no resource has this URI");
	c->work.files.max_bytes = c->request->rpc->result_most / READ_PART;
	return mcp_files_ask_content(c, path.text, e);
}

static void mcp_resources_put_content(const struct mcp_call *c, const struct buf *bytes,
				      struct buf *out)
{
	const bool is_text = utf8_is_valid(buf_string(bytes), bytes->length) &&
			     mcp_text_fits(buf_string(bytes), bytes->length,
					   c->request->rpc->result_most / 2) == bytes->length;
	auto_buf struct buf base64 = {0};

	json_put_begin(out, "contents", '[');
	json_put_begin(out, NULL, '{');
	mcp_text_put_uri(out, "uri", c->session->handle, c->path);
	json_put_text(out, "mimeType", mcp_text_type(c->path));
	if (is_text) {
		json_put_bytes(out, "text", buf_string(bytes), bytes->length);
	} else {
		encode_base64(bytes->data, bytes->length, &base64);
		json_put_text(out, "blob", buf_string(&base64));
	}
	json_put_end(out, '}');
	json_put_end(out, ']');
}

static void mcp_resources_reply(struct mcp_call *c)
{
	auto_buf struct buf bytes = {0};
	auto_buf struct buf out = {0};
	struct err e;

	err_set(&e, ERR_NOT_FOUND, "no resource has this URI");
	if (c->result.failed || !c->result.was_there ||
	    !mcp_files_read_content(c, 0, c->result.files.got.bytes, &bytes)) {
		mcp_call_fail(c, c->result.failed ? &c->result.error : &e);
		return;
	}
	mcp_result_begin(c->request, &out);
	mcp_resources_put_content(c, &bytes, &out);
	mcp_result_put_cache(c->request, MCP_CHANGES, &out);
	json_put_end(&out, '}');
	mcp_call_finish(c, &out);
}

/* A failure is an error of the protocol, since a client reads it and not a model. */
static void mcp_resources_refuse(struct mcp_request *r, const char *text)
{
	const enum mcp_error code = r->version->is_modern ? MCP_INVALID_PARAMS : MCP_NO_RESOURCE;
	auto_buf struct buf data = {0};

	json_put_begin(&data, NULL, '{');
	json_put_text(&data, "uri", json_string_at(r->params, "uri"));
	json_put_end(&data, '}');
	mcp_request_fail(r, code, buf_string(&data), "Resource not found: %s", text);
}

void mcp_resources_read(struct mcp_request *r)
{
	static const char *const none[] = {NULL};
	static const struct mcp_tool tool = {.name = "resources/read",
					     .arguments = none,
					     .read = mcp_resources_ask,
					     .reply = mcp_resources_reply,
					     .refuse = mcp_resources_refuse,
					     .needs_session = true};

	if (!r->params || !json_string_at(r->params, "uri"))
		mcp_request_fail(r, MCP_INVALID_PARAMS, NULL, "params must have uri, a string");
	else
		mcp_call_start(r, &tool, r->rpc->owner);
}
