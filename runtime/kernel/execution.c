/*
 * execution - a cell that is executed: what it prints, displays and asks while it runs.
 */
#include "kernel/execution.h"

#include <string.h>

#include "base/json_put.h"
#include "base/utf8.h"
#include "kernel/mime.h"
#include "loop/clock.h"

#define GATHER_US  10000 /* text of one stream that comes within is one message */
#define GATHER_MAX 65536 /* bytes, or more that come at once */

/* -- what it prints -------------------------------------------------------------------------- */

/* Publish what was printed; the begin of a character waits for the rest, unless all must go. */
static void execution_publish_printed(struct execution *x, bool all)
{
	struct buf *text = &x->printed;
	const size_t tail = all ? 0 : utf8_tail(text->data, text->length);
	const size_t whole = text->length - tail;

	hub_silence(x->work.kernel->hub, &x->soon);
	if (whole)
		kernel_publish_stream(x->work.kernel, x->stream, text->data, whole);
	if (whole && tail)
		memmove(text->data, text->data + whole, tail);
	buf_cut(text, tail);
}

void execution_flush(struct execution *x)
{
	execution_publish_printed(x, true);
}

void execution_is_due(void *execution)
{
	execution_publish_printed(execution, false);
}

/* Many small writes are one message; text of the two streams keeps its order, as far as we see it.
 */
static void execution_take(struct execution *x, const char *stream, const char *bytes,
			   size_t length)
{
	if (x->stream != stream)
		execution_flush(x);
	x->stream = stream;
	buf_add(&x->printed, bytes, length);
	if (x->printed.length >= GATHER_MAX)
		execution_publish_printed(x, false);
	else if (!x->soon.is_set)
		hub_ring(x->work.kernel->hub, &x->soon, monotonic_us() + GATHER_US);
}

void execution_take_out(void *execution, const char *bytes, size_t length)
{
	execution_take(execution, "stdout", bytes, length);
}

void execution_take_err(void *execution, const char *bytes, size_t length)
{
	execution_take(execution, "stderr", bytes, length);
}

/* -- what it tells --------------------------------------------------------------------------- */

void execution_say(struct execution *x, const char *text)
{
	kernel_publish_stream(x->work.kernel, "stderr", text, strlen(text));
}

void execution_publish_bundle(struct execution *x, const char *type, const struct json *bundle,
			      const struct json *event)
{
	const char *id = event ? json_text_at(event, "id") : "";
	auto_buf struct buf content = {0};
	auto_buf struct buf left_out = {0};

	buf_text(&content, "{");
	mime_put(bundle, &content);
	if (*id)
		json_put(&content, "transient:{display_id:%s}", id);
	if (!strcmp(type, "execute_result"))
		json_put_uint(&content, "execution_count", x->number);
	buf_text(&content, "}");
	kernel_publish(x->work.kernel, &x->work.kernel->request, type, &content);
	mime_put_left_out(bundle, &left_out);
	if (left_out.length)
		execution_say(x, left_out.data);
}

static void execution_ask(struct execution *x, const struct json *event)
{
	struct kernel *k = x->work.kernel;
	auto_frames struct frames parts = {0};
	auto_buf struct buf content = {0};

	json_put(&content, "{prompt:%s, password:%i}", json_text_at(event, "ask"),
		 json_is_true(json_get(event, "hidden")));
	message_compose(&k->signer, &k->request, "input_request", &k->request, &content, &parts);
	sockets_send(k->sockets, SOCKET_STDIN, &parts);
	k->asked = &x->told;
	memcpy(k->question, k->signer.newest, sizeof(k->question));
}

static void execution_clear(struct execution *x, const struct json *event)
{
	auto_buf struct buf content = {0};

	json_put(&content, "{wait:%i}", json_is_true(json_get(event, "clear")));
	kernel_publish(x->work.kernel, &x->work.kernel->request, "clear_output", &content);
}

/* Clients show the last one of a cell; code may tell any number. */
static void execution_page(struct execution *x, const struct json *page)
{
	struct buf *out = &x->payload;

	buf_cut(out, 0);
	json_put_begin(out, NULL, '{');
	json_put(out, "source:'page', start:0");
	mime_put(page, out);
	json_put_end(out, '}');
}

/* An event may be any JSON: foreign code shares its process with what tells. */
void execution_take_event(void *execution, const struct json *event)
{
	struct execution *x = execution;
	const bool is_update = json_is_object(event) && json_is_true(json_get(event, "update"));

	if (!json_is_object(event))
		return;
	execution_flush(x);
	if (json_get(event, "display"))
		execution_publish_bundle(x, is_update ? "update_display_data" : "display_data",
					 json_get(event, "display"), event);
	else if (json_get(event, "clear"))
		execution_clear(x, event);
	else if (json_get(event, "page"))
		execution_page(x, json_get(event, "page"));
	else if (json_get(event, "ask"))
		execution_ask(x, event);
}

void execution_take_mark(void *execution)
{
	(void)told_take(&((struct execution *)execution)->told);
}
