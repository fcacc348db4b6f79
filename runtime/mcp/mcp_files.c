/*
 * mcp_files - list_files, read_file and write_file: the files in a session's /workspace.
 */
#include "mcp/mcp_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/utf8.h"
#include "loop/clock.h"
#include "mcp/mcp_arguments.h"
#include "mcp/mcp_text.h"
#include "workspace/files_path.h"

#define ENTRIES_MOST 1000         /* of one listing */
#define READ_MOST    (512u << 10) /* bytes of one call */
#define TEXT_PART    3 /* of a result's bytes, for a text, which a result carries twice */
#define BYTES_PART   6 /* the same for bytes, which a result carries as Base64 */

/* -- shared ---------------------------------------------------------------------------------- */

static void mcp_files_ask(struct mcp_call *c, enum files_action action)
{
	c->work.action = NOTEBOOK_FILES;
	c->work.files.action = action;
	c->work.files.content_fd = c->content;
}

static void mcp_files_set_path(struct mcp_call *c, const char *path)
{
	free(c->path);
	c->path = own_strdup(path);
	c->work.files.path = c->path;
}

/* Read and clean the path: a file has one name, whichever way the model spells it. */
static int mcp_files_read_path(struct mcp_call *c, bool is_required, struct err *e)
{
	const char *said = "";
	struct files_path path;

	if (mcp_argument_text(c->arguments, "path", is_required, &said, e) ||
	    files_path_set(&path, said, e))
		return -1;
	mcp_files_set_path(c, path.text);
	return 0;
}

static int mcp_files_make_content(struct mcp_call *c, struct err *e)
{
	c->content = memfd_create("file", MFD_CLOEXEC);
	return c->content < 0 ? err_sys(e, "make room for a file") : 0;
}

static void mcp_files_begin(struct mcp_call *c, struct buf *out, const struct buf *text)
{
	auto_buf struct buf whole = {0};

	mcp_result_begin(c->request, out);
	json_put_begin(out, "content", '[');
	if (c->is_new)
		mcp_session_put_notice(c->session, c->was_lost, &whole);
	buf_add(&whole, buf_string(text), text->length);
	mcp_text_put_block(out, &whole);
}

static void mcp_files_begin_structure(struct mcp_call *c, struct buf *out)
{
	json_put_begin(out, "structuredContent", '{');
	json_put_text(out, "session", c->session->handle);
	json_put_bool(out, "new_session", c->is_new);
}

static void mcp_files_end(struct mcp_call *c, struct buf *out)
{
	json_put_bool(out, "isError", false);
	json_put_end(out, '}');
	mcp_call_finish(c, out);
}

/* -- list_files ------------------------------------------------------------------------------ */

int mcp_files_list(struct mcp_call *c, struct err *e)
{
	mcp_files_ask(c, FILES_LIST);
	return mcp_files_read_path(c, false, e);
}

static void mcp_files_put_entry(const struct json *entry, struct buf *text, struct buf *list)
{
	const char *path = json_string_at(entry, "path");
	const char *type = json_string_at(entry, "type");
	const unsigned long long size = json_uint_at(entry, "size", 0);

	if (!path || !type)
		return;
	if (!strcmp(type, "file"))
		buf_printf(text, "%s (%llu bytes)\n", path, size);
	else
		buf_printf(text, "%s (%s)\n", path, type);
	json_put_begin(list, NULL, '{');
	json_put_text(list, "path", path);
	json_put_text(list, "type", type);
	json_put_uint(list, "size_bytes", size);
	json_put_uint(list, "modified", json_uint_at(entry, "mtime", 0));
	json_put_end(list, '}');
}

/* Put the entries that fit; returns whether some are left out. */
static bool mcp_files_put_entries(const struct json *entries, size_t most, struct buf *text,
				  struct buf *list)
{
	const struct json *n = json_first(entries);

	json_put_begin(list, "entries", '[');
	for (size_t i = 0; n && i < ENTRIES_MOST && list->length < most; i++) {
		mcp_files_put_entry(n, text, list);
		n = json_next(n);
	}
	json_put_end(list, ']');
	return n != NULL;
}

void mcp_files_reply_list(struct mcp_call *c)
{
	auto_json struct json *entries = NULL;
	auto_buf struct buf structure = {0};
	auto_buf struct buf text = {0};
	auto_buf struct buf out = {0};
	bool is_cut = c->result.files.listed.truncated;
	struct err e;

	entries = c->result.failed ? NULL
				   : json_parse(buf_string(&c->result.files.json),
						c->result.files.json.length, &e);
	if (!entries) {
		mcp_call_fail(c, c->result.failed ? &c->result.error : &e);
		return;
	}
	mcp_files_begin_structure(c, &structure);
	is_cut |= mcp_files_put_entries(entries, c->request->rpc->result_most / TEXT_PART, &text,
					&structure);
	json_put_bool(&structure, "truncated", is_cut);
	json_put_end(&structure, '}');
	buf_text(&text, text.length ? "" : "[no files]\n");
	buf_text(&text, is_cut ? "[There is more.]\n" : "");
	mcp_files_begin(c, &out, &text);
	json_put_end(&out, ']');
	if (c->request->version->has_schemas) {
		json_put_key(&out, NULL);
		buf_add(&out, structure.data, structure.length);
	}
	mcp_files_end(c, &out);
}

/* -- read_file ------------------------------------------------------------------------------- */

int mcp_files_ask_content(struct mcp_call *c, const char *path, struct err *e)
{
	if (mcp_files_make_content(c, e))
		return -1;
	mcp_files_ask(c, FILES_GET);
	mcp_files_set_path(c, path);
	return 0;
}

int mcp_files_get(struct mcp_call *c, struct err *e)
{
	const uint64_t most = clock_earlier(READ_MOST, c->request->rpc->result_most / BYTES_PART);

	c->length = c->connection->backend->options.output_max;
	if (mcp_files_make_content(c, e))
		return -1;
	mcp_files_ask(c, FILES_GET);
	if (mcp_files_read_path(c, true, e) ||
	    mcp_argument_whole(c->arguments, "offset", UINT32_MAX, &c->offset, e) ||
	    mcp_argument_whole(c->arguments, "length", READ_MOST, &c->length, e))
		return -1;
	c->length = clock_earlier(c->length, most);
	return 0;
}

bool mcp_files_read_content(const struct mcp_call *c, uint64_t offset, uint64_t length,
			    struct buf *out)
{
	char piece[16384];

	while (length) {
		size_t wanted = length < sizeof(piece) ? (size_t)length : sizeof(piece);
		ssize_t n = pread(c->content, piece, wanted, (off_t)offset);

		if (n < 0)
			return false;
		if (!n)
			break;
		buf_add(out, piece, (size_t)n);
		offset += (uint64_t)n;
		length -= (uint64_t)n;
	}
	return true;
}

/* Leave a last character that is cut in two to the next call. */
static size_t mcp_files_text_length(const struct buf *bytes, bool is_last)
{
	for (size_t cut = 0; cut <= (is_last ? 0 : 3) && cut < bytes->length; cut++) {
		if (utf8_is_valid(bytes->data, bytes->length - cut))
			return bytes->length - cut;
	}
	return 0;
}

/* The content of a file as the result carries it, as much as fits. */
struct content {
	const char *encoding; /* "utf-8", "base64", "image" */
	struct buf bytes;     /* bytes of the file */
	struct buf base64;
	uint64_t size;
	bool is_whole;
};

static bool mcp_files_is_image(const char *type)
{
	return !strcmp(type, "image/png") || !strcmp(type, "image/jpeg") ||
	       !strcmp(type, "image/gif") || !strcmp(type, "image/webp");
}

static bool mcp_files_open_content(const struct mcp_call *c, struct content *k)
{
	const bool is_image = mcp_files_is_image(mcp_text_type(c->work.files.path)) && !c->offset;
	size_t text;

	k->size = c->result.files.got.bytes;
	if (is_image && k->size <= c->request->rpc->result_most / TEXT_PART) {
		k->encoding = "image";
		k->is_whole = true;
		return mcp_files_read_content(c, 0, k->size, &k->bytes);
	}
	if (!mcp_files_read_content(c, c->offset, c->length, &k->bytes))
		return false;
	text = mcp_files_text_length(&k->bytes, c->offset + k->bytes.length >= k->size);
	k->encoding = text || !k->bytes.length ? "utf-8" : "base64";
	if (text && memchr(buf_string(&k->bytes), '\0', k->bytes.length))
		k->encoding = "base64";
	else if (text)
		buf_cut(&k->bytes, mcp_text_fits(k->bytes.data, text,
						 c->request->rpc->result_most / TEXT_PART));
	k->is_whole = c->offset + k->bytes.length >= k->size;
	return true;
}

static void mcp_files_put_blob(const struct mcp_call *c, const struct content *k, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "type", "resource");
	json_put_begin(out, "resource", '{');
	mcp_text_put_uri(out, "uri", c->session->handle, c->work.files.path);
	json_put_text(out, "mimeType", mcp_text_type(c->work.files.path));
	json_put_text(out, "blob", buf_string(&k->base64));
	json_put_end(out, '}');
	json_put_end(out, '}');
}

static void mcp_files_put_content(struct mcp_call *c, const struct content *k, struct buf *out)
{
	const char *path = c->work.files.path;
	auto_buf struct buf text = {0};

	if (!strcmp(k->encoding, "utf-8"))
		buf_add(&text, buf_string(&k->bytes), k->bytes.length);
	else
		buf_printf(&text, "%s: %s, %llu bytes\n", path, mcp_text_type(path),
			   (unsigned long long)k->size);
	if (!k->is_whole)
		buf_printf(&text, "\n[%" PRIu64 " bytes; for more: offset %" PRIu64 "]\n", k->size,
			   c->offset + k->bytes.length);
	mcp_files_begin(c, out, &text);
	if (!strcmp(k->encoding, "image"))
		mcp_text_put_image(out, mcp_text_type(path), &k->base64);
	else if (!strcmp(k->encoding, "base64"))
		mcp_files_put_blob(c, k, out);
	json_put_end(out, ']');
}

static void mcp_files_put_structure(struct mcp_call *c, const struct content *k, struct buf *out)
{
	mcp_files_begin_structure(c, out);
	json_put_text(out, "path", c->work.files.path);
	json_put_uint(out, "size_bytes", k->size);
	json_put_uint(out, "offset", c->offset);
	json_put_text(out, "encoding", k->encoding);
	if (!strcmp(k->encoding, "utf-8"))
		json_put_bytes(out, "content", buf_string(&k->bytes), k->bytes.length);
	else if (!strcmp(k->encoding, "base64"))
		json_put_text(out, "content", buf_string(&k->base64));
	else
		json_put_null(out, "content");
	if (k->is_whole)
		json_put_null(out, "next_offset");
	else
		json_put_uint(out, "next_offset", c->offset + k->bytes.length);
	json_put_end(out, '}');
}

void mcp_files_reply_get(struct mcp_call *c)
{
	auto_buf struct buf out = {0};
	struct content k = {0};
	struct err e;

	if (c->result.failed || !mcp_files_open_content(c, &k)) {
		buf_fini(&k.bytes);
		err_set(&e, ERR_SYSTEM, "the file cannot be read");
		mcp_call_fail(c, c->result.failed ? &c->result.error : &e);
		return;
	}
	if (strcmp(k.encoding, "utf-8") != 0)
		encode_base64(k.bytes.data, k.bytes.length, &k.base64);
	mcp_files_put_content(c, &k, &out);
	if (c->request->version->has_schemas)
		mcp_files_put_structure(c, &k, &out);
	buf_fini(&k.bytes);
	buf_fini(&k.base64);
	mcp_files_end(c, &out);
}

/* -- write_file ------------------------------------------------------------------------------ */

static int mcp_files_decode(const char *content, const char *encoding, struct buf *out,
			    struct err *e)
{
	if (!strcmp(encoding, "base64"))
		return decode_base64(content, out) ? err_input(e, "content is not Base64") : 0;
	if (strcmp(encoding, "utf-8") != 0)
		return err_input(e, "encoding must be \"utf-8\" or \"base64\"");
	buf_text(out, content);
	return 0;
}

int mcp_files_put(struct mcp_call *c, struct err *e)
{
	const char *encoding = "utf-8";
	const char *content = NULL;
	auto_buf struct buf bytes = {0};

	if (mcp_files_make_content(c, e))
		return -1;
	mcp_files_ask(c, FILES_PUT);
	if (mcp_files_read_path(c, true, e) ||
	    mcp_argument_text(c->arguments, "content", true, &content, e) ||
	    mcp_argument_text(c->arguments, "encoding", false, &encoding, e) ||
	    mcp_files_decode(content, encoding, &bytes, e))
		return -1;
	c->length = bytes.length;
	if (io_write_all(c->content, bytes.data, bytes.length) ||
	    lseek(c->content, 0, SEEK_SET) < 0)
		return err_sys(e, "keep the content");
	return 0;
}

void mcp_files_reply_put(struct mcp_call *c)
{
	auto_buf struct buf text = {0};
	auto_buf struct buf out = {0};

	if (c->result.failed) {
		mcp_call_fail(c, &c->result.error);
		return;
	}
	buf_printf(&text, "%s: %llu bytes\n", c->work.files.path, (unsigned long long)c->length);
	mcp_files_begin(c, &out, &text);
	json_put_end(&out, ']');
	if (c->request->version->has_schemas) {
		mcp_files_begin_structure(c, &out);
		json_put_text(&out, "path", c->work.files.path);
		json_put_uint(&out, "size_bytes", c->length);
		mcp_text_put_uri(&out, "uri", c->session->handle, c->work.files.path);
		json_put_end(&out, '}');
	}
	mcp_files_end(c, &out);
}
