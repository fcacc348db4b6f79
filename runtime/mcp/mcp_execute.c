/*
 * mcp_execute - execute_python: code in a session, and what came of it.
 */
#include "mcp/mcp_execute.h"

#include <string.h>

#include "base/json_put.h"
#include "mcp/mcp_arguments.h"
#include "mcp/mcp_outcome.h"
#include "mcp/mcp_text.h"

#define LINKS_PART  12 /* of a result's bytes; a result names each file twice */

#define ANSWER_MAX  (6u << 20) /* bytes; a result carries half of them */

#define LINKS_MOST  50
#define PROGRESS_US 200000 /* between two notifications */
#define SPARE_BYTES 8      /* more than the bytes of one character */

/* Notify a client that wants progress soon after output, but not for every line of a loop. */
static void mcp_execute_take_out(void *context, const char *bytes, size_t length)
{
	struct mcp_call *c = context;

	terminal_text_add(&c->shown[0], bytes, length);
	if (mcp_request_wants_progress(c->request))
		hub_ring(c->connection->backend->hub, &c->tick, c->told_us + PROGRESS_US);
}

static void mcp_execute_take_err(void *context, const char *bytes, size_t length)
{
	terminal_text_add(&((struct mcp_call *)context)->shown[1], bytes, length);
}

static void mcp_execute_take_display(void *context)
{
	struct mcp_call *c = context;

	terminal_text_flush(&c->shown[0]);
	display_places_add(&c->places);
}

/*
 * The session's output limit counts the bytes that the program writes; `output_max` counts the
 * bytes that the filter leaves, so that redrawing a progress bar does not use it up.
 */
static void mcp_execute_arrange_output(struct mcp_call *c)
{
	const struct mcp_backend *backend = c->connection->backend;
	struct notebook_request *w = &c->work;

	w->call.output_max = backend->terms.limits.output_bytes;
	for (int i = 0; i < 2; i++) {
		c->out[i].cap = (size_t)backend->options.output_max + SPARE_BYTES;
		c->shown[i].out = &c->out[i];
	}
	c->places.text = &c->out[0];
	w->call.out[0] = (struct sink){.fd = -1,
				       .take = mcp_execute_take_out,
				       .display = mcp_execute_take_display,
				       .context = c};
	w->call.out[1] = (struct sink){.fd = -1, .take = mcp_execute_take_err, .context = c};
}

int mcp_execute_read(struct mcp_call *c, struct err *e)
{
	const struct mcp_options *o = &c->connection->backend->options;
	struct notebook_request *w = &c->work;

	w->action = NOTEBOOK_RUN;
	w->call.timeout_ms = o->timeout_ms < o->timeout_max_ms ? o->timeout_ms : o->timeout_max_ms;
	w->call.answer_max = ANSWER_MAX;
	w->call.formats = "png";
	mcp_execute_arrange_output(c);
	if (mcp_argument_text(c->arguments, "code", true, &w->call.source, e))
		return -1;
	w->call.length = strlen(w->call.source);
	return mcp_argument_seconds(c->arguments, "timeout", o->timeout_max_ms, &w->call.timeout_ms,
				    e);
}

/* -- text for a model ------------------------------------------------------------------------ */

static void mcp_execute_say(struct buf *text, const char *title, const char *what, size_t length)
{
	if (!length)
		return;
	buf_text(text, title);
	buf_add(text, what, length);
	if (text->data[text->length - 1] != '\n')
		buf_text(text, "\n");
}

static void mcp_execute_say_text(struct buf *text, const char *title, const struct buf *what)
{
	mcp_execute_say(text, title, buf_string(what), what->length);
}

static void mcp_execute_say_verdict(const struct mcp_outcome *o, struct buf *text)
{
	const struct mcp_call *c = o->call;
	const struct call_result *r = o->result;
	const double seconds = (double)c->work.call.timeout_ms / 1000;
	const uint64_t memory = c->connection->backend->terms.limits.memory_bytes;

	switch (r->verdict) {
	case CODE_OK:
	case CODE_ERROR:
		break;
	case CODE_EXIT:
		buf_printf(text, "[sys.exit: status %d]\n", r->exit_code);
		break;
	case CODE_TIMEOUT:
		buf_printf(text, "[It was interrupted: its time limit is %g s.]\n", seconds);
		break;
	case CODE_MEMORY:
		buf_printf(text, "[It was ended: its memory limit is %llu MiB%s.]\n",
			   (unsigned long long)(memory >> 20),
			   r->in_sockets ? ", what is in its sockets included" : "");
		break;
	case CODE_CRASHED:
		buf_printf(text, "[The interpreter has ended: status %d.]\n", r->exit_code);
		break;
	case CODE_CANCELLED:
		buf_text(text, "[It was interrupted.]\n");
		break;
	}
	if (o->is_lost)
		buf_printf(text, "[The session is gone (%s), with its variables and files; %s.]\n",
			   c->result.call.why,
			   c->connection->is_lasting ? "the next call begins a new one"
						     : "a call without `session` begins a new one");
}

static void mcp_execute_say_cuts(const struct mcp_outcome *o, struct buf *text)
{
	static const char *const names[] = {"stdout", "stderr"};
	const unsigned long long most = o->call->connection->backend->options.output_max;

	for (int i = 0; i < 2; i++) {
		if (o->is_cut[i])
			buf_printf(text, "[%s is cut: no more than %llu bytes are shown.]\n",
				   names[i], most);
	}
	if (o->is_cut_else)
		buf_printf(text, "[What it shows is cut: no more than %llu bytes.]\n", most);
	if (o->result->is_cut)
		buf_printf(text, "[What it shows is cut: no more than %u MiB.]\n",
			   ANSWER_MAX >> 20);
	if (o->images.left_out)
		buf_printf(text, "[%zu pictures are left out: too many, or too large.]\n",
			   o->images.left_out);
}

/* Put the pictures of one display, or with MCP_IMAGE_LAST those at the end. */
static void mcp_execute_put_images(const struct mcp_outcome *o, size_t display, struct buf *out)
{
	for (size_t i = 0; i < o->images.count; i++) {
		if (o->images.items[i].display == display)
			mcp_text_put_image(out, o->images.items[i].type,
					   &o->images.items[i].base64);
	}
}

static bool mcp_execute_has_image(const struct mcp_outcome *o, size_t display)
{
	size_t i = 0;

	while (i < o->images.count && o->images.items[i].display != display)
		i++;
	return i < o->images.count;
}

static void mcp_execute_put_block(struct buf *text, struct buf *out)
{
	if (text->length)
		mcp_text_put_block(out, text);
	buf_cut(text, 0);
}

/* Put the output, with each display at its place. A picture ends a block of text. */
static void mcp_execute_put_output(const struct mcp_outcome *o, struct buf *text, struct buf *out)
{
	const struct mcp_call *c = o->call;
	size_t printed = 0;
	size_t shown = 0;

	for (size_t i = 0; i < o->display_count; i++) {
		const bool has_image = mcp_execute_has_image(o, i);

		if (o->display_ends[i] == shown && !has_image)
			continue;
		printed = display_places_copy(&c->places, printed, i, text);
		buf_add(text, buf_string(&o->display) + shown, o->display_ends[i] - shown);
		shown = o->display_ends[i];
		if (has_image) {
			mcp_execute_put_block(text, out);
			mcp_execute_put_images(o, i, out);
		}
	}
	mcp_execute_say(text, "", buf_string(&c->out[0]) + printed, c->out[0].length - printed);
}

static void mcp_execute_put_shown(const struct mcp_outcome *o, struct buf *out)
{
	const struct mcp_call *c = o->call;
	const size_t begin = out->length;
	auto_buf struct buf text = {0};

	if (c->is_new)
		mcp_session_put_notice(c->session, c->was_lost, &text);
	mcp_execute_put_output(o, &text, out);
	mcp_execute_say_text(&text, "[stderr]\n", &c->out[1]);
	mcp_execute_say_text(&text, "", &o->value);
	mcp_execute_say_text(&text, "", &o->traceback);
	mcp_execute_say_verdict(o, &text);
	mcp_execute_say_cuts(o, &text);
	if (!text.length && out->length == begin)
		buf_text(&text, o->images.count ? "[pictures]\n" : "[no output]\n");
	mcp_execute_put_block(&text, out);
	mcp_execute_put_images(o, MCP_IMAGE_LAST, out);
}

static size_t mcp_execute_count_new(const struct mcp_listing *l)
{
	size_t count = 0;

	for (const struct mcp_file *f = NULL; (f = mcp_listing_next_new(l, f));)
		count++;
	return count;
}

/* Return the next new file while there is room; the files begin at `begin` in *out. */
static const struct mcp_file *mcp_execute_next(const struct mcp_call *c, const struct mcp_file *f,
					       const struct buf *out, size_t begin, int count)
{
	if (count >= LINKS_MOST || out->length - begin > c->request->rpc->result_most / LINKS_PART)
		return NULL;
	return mcp_listing_next_new(&c->session->listing, f);
}

static void mcp_execute_put_link(const struct mcp_call *c, const struct mcp_file *f,
				 struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "type", "resource_link");
	mcp_text_put_uri(out, "uri", c->session->handle, f->path);
	json_put_text(out, "name", f->path);
	json_put_text(out, "mimeType", mcp_text_type(f->path));
	json_put_uint(out, "size", f->size);
	json_put_end(out, '}');
}

/* Versions without links to resources get the names of files as text. */
static void mcp_execute_put_links(const struct mcp_call *c, struct buf *out)
{
	const struct mcp_file *f = NULL;
	auto_buf struct buf text = {0};
	const size_t begin = out->length;

	for (int i = 0; (f = mcp_execute_next(c, f, out, begin, i)); i++) {
		if (c->request->version->has_schemas)
			mcp_execute_put_link(c, f, out);
		else
			buf_printf(&text, "[new file: %s, %llu bytes]\n", f->path,
				   (unsigned long long)f->size);
	}
	if (text.length)
		mcp_text_put_block(out, &text);
}

static void mcp_execute_put_content(const struct mcp_outcome *o, struct buf *out)
{
	const struct mcp_call *c = o->call;

	json_put_begin(out, "content", '[');
	mcp_execute_put_shown(o, out);
	mcp_execute_put_links(c, out);
	json_put_end(out, ']');
}

/* -- structuredContent, for a program -------------------------------------------------------- */

static void mcp_execute_put_optional(struct buf *out, const char *key, bool is_there,
				     const struct buf *text)
{
	if (is_there)
		json_put_bytes(out, key, buf_string(text), text->length);
	else
		json_put_null(out, key);
}

static void mcp_execute_put_files(const struct mcp_call *c, struct buf *out)
{
	const struct mcp_file *f = NULL;
	const size_t begin = out->length;

	json_put_begin(out, "files", '[');
	for (int i = 0; (f = mcp_execute_next(c, f, out, begin, i)); i++) {
		json_put_begin(out, NULL, '{');
		json_put_text(out, "path", f->path);
		json_put_uint(out, "size_bytes", f->size);
		mcp_text_put_uri(out, "uri", c->session->handle, f->path);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
	json_put_uint(out, "files_total", mcp_execute_count_new(&c->session->listing));
}

static void mcp_execute_put_structure(const struct mcp_outcome *o, struct buf *out)
{
	static const char *const verdicts[] = {
		[CODE_OK] = "ok",
		[CODE_ERROR] = "error",
		[CODE_EXIT] = "exit",
		[CODE_TIMEOUT] = "timeout",
		[CODE_MEMORY] = "memory",
		[CODE_CRASHED] = "crashed",
		[CODE_CANCELLED] = "interrupted",
	};
	const struct mcp_call *c = o->call;
	const struct call_result *r = o->result;

	json_put_begin(out, "structuredContent", '{');
	json_put_text(out, "session", c->session->handle);
	json_put_bool(out, "new_session", c->is_new);
	json_put_bool(out, "session_lost", o->is_lost);
	json_put_text(out, "status", verdicts[r->verdict]);
	json_put_int(out, "exit_code", r->exit_code);
	json_put_bytes(out, "stdout", buf_string(&c->out[0]), c->out[0].length);
	json_put_bytes(out, "stderr", buf_string(&c->out[1]), c->out[1].length);
	json_put_bytes(out, "display", buf_string(&o->display), o->display.length);
	mcp_execute_put_optional(out, "value", r->value, &o->value);
	mcp_execute_put_optional(out, "traceback", r->has_traceback, &o->traceback);
	json_put_bool(out, "truncated",
		      o->is_cut[0] || o->is_cut[1] || o->is_cut_else || o->result->is_cut);
	json_put_uint(out, "images", o->images.count);
	mcp_execute_put_files(c, out);
	json_put_uint(out, "duration_ms", c->result.call.duration_us / 1000);
	json_put_end(out, '}');
}

void mcp_execute_reply(struct mcp_call *c)
{
	auto_buf struct buf out = {0};
	struct mcp_outcome o;

	if (c->result.failed && !c->result.call.lost) {
		mcp_call_fail(c, &c->result.error);
		return;
	}
	mcp_outcome_open(&o, c);
	mcp_result_begin(c->request, &out);
	mcp_execute_put_content(&o, &out);
	if (c->request->version->has_schemas)
		mcp_execute_put_structure(&o, &out);
	json_put_bool(&out, "isError", mcp_outcome_is_error(&o));
	json_put_end(&out, '}');
	mcp_outcome_close(&o);
	mcp_call_finish(c, &out);
}
