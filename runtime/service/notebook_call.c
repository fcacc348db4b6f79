/*
 * notebook_call - requests to the interpreter of a session.
 */
#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "client/client.h"
#include "notebook_files.h"
#include "service/notebook_parts.h"
#include "session/figures.h"

static void notebook_call_put_hex(struct buf *out, const char *bytes, size_t length)
{
	auto_free char *text = own_zeroed(2 * length + 1, 1);

	encode_hex(bytes, length, text);
	buf_add(out, text, 2 * length);
}

/*
 * Run bash without using or setting any name in the session: foreign code may have redefined them.
 */
static void notebook_call_compose_bash(struct notebook *n)
{
	struct buf *out = &n->members;

	buf_text(out, ",\"source\":\"(lambda b: b.exec(b.bytes.fromhex('");
	notebook_call_put_hex(out, files[0].bytes, files[0].length);
	buf_text(out, "'), {'command': b.bytes.fromhex('");
	notebook_call_put_hex(out, n->request.call.source, n->request.call.length);
	buf_text(out, "')}))(__import__('builtins'))\"");
}

/* Where it runs. */
static void notebook_call_compose_context(struct notebook *n)
{
	const struct notebook_request *r = &n->request;
	struct buf *out = &n->members;

	if (r->call.context) {
		json_put_text(out, "context", r->call.context);
		json_put_bool(out, "fresh", r->call.fresh);
	}
	if (r->call.cwd)
		json_put_text(out, "cwd", r->call.cwd);
	if (r->call.env) {
		json_put_key(out, "env");
		buf_text(out, r->call.env);
	}
}

int notebook_compose(struct notebook *n, struct err *e)
{
	const struct notebook_request *r = &n->request;

	if (r->action == NOTEBOOK_ASK) {
		buf_add(&n->members, r->call.source, r->call.length);
		return 0;
	}
	buf_printf(&n->members, "\"op\":\"run\",\"answer_max\":%zu", r->call.answer_max);
	notebook_call_compose_context(n);
	if (r->action == NOTEBOOK_BASH) {
		notebook_call_compose_bash(n);
		return 0;
	}
	if (r->call.formats && figures_add_formats(r->call.formats, &n->members, e))
		return -1;
	if (r->call.json)
		buf_text(&n->members, ",\"json\":true");
	if (r->call.plain)
		buf_text(&n->members, ",\"plain\":true");
	buf_text(&n->members, ",\"source\":");
	buf_json_string(&n->members, r->call.source, r->call.length);
	return 0;
}
