/*
 * cells - a conversation as a notebook: tasks, code with its output, answers.
 */
#include "agent/show/cells.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/terminal_text.h"

#define OUTPUT_BYTES (64u << 10) /* of one cell; the rest is dropped */
#define CELLS_MAX    2000        /* the oldest are dropped */

static const char *const names[] = {
	[CELL_TASK] = "task", [CELL_CODE] = "code", [CELL_ANSWER] = "answer"};

static void cells_fini_one(struct cell *x)
{
	free(x->text);
	free(x->output);
}

static struct cell *cells_add(struct cells *c, enum cell_kind kind, const char *text)
{
	if (c->count == CELLS_MAX) {
		cells_fini_one(&c->items[0]);
		memmove(c->items, c->items + 1, --c->count * sizeof(*c->items));
		c->dropped++;
	}
	c->items = own_grow(c->items, c->count, sizeof(*c->items));
	c->items[c->count] = (struct cell){.kind = kind, .text = own_strdup(text)};
	return &c->items[c->count++];
}

/* -- events ---------------------------------------------------------------------------------- */

static void cells_add_output(const char *bytes, size_t length, struct buf *out)
{
	terminal_text(bytes, length < OUTPUT_BYTES ? length : OUTPUT_BYTES, out);
	if (out->length && out->data[out->length - 1] != '\n')
		buf_text(out, "\n");
}

static void cells_end_code(struct cells *c, const struct execution *x)
{
	struct cell *cell = &c->items[c->count - 1];
	auto_buf struct buf text = {0};

	for (int i = 0; i < 2; i++)
		cells_add_output(buf_string(&x->output[i]), x->output[i].length, &text);
	if (x->value)
		cells_add_output(x->value, strlen(x->value), &text);
	if (x->traceback)
		cells_add_output(x->traceback, strlen(x->traceback), &text);
	cell->output = text.length ? buf_take(&text) : NULL;
	cell->is_well = x->verdict == CODE_OK;
	cell->is_lost = x->state_lost;
}

static void cells_take_event(struct event_sink *sink, const struct event *event)
{
	struct cells *c = (struct cells *)sink;

	if (event->kind == EVENT_TASK)
		cells_add(c, CELL_TASK, event->text);
	else if (event->kind == EVENT_EXECUTE)
		cells_add(c, CELL_CODE, event->text);
	else if (event->kind == EVENT_ANSWER)
		cells_add(c, CELL_ANSWER, event->text);
	else if (event->kind == EVENT_EXECUTED && c->is_running)
		cells_end_code(c, event->execution);
	if (event->kind != EVENT_PIECE && event->kind != EVENT_BEGIN &&
	    event->kind != EVENT_OUTPUT && event->kind != EVENT_NOTICE)
		c->is_running = event->kind == EVENT_EXECUTE;
}

void cells_init(struct cells *c)
{
	*c = (struct cells){.sink.take = cells_take_event};
}

size_t cells_end(const struct cells *c)
{
	return c->dropped + c->count;
}

void cells_cut(struct cells *c, size_t end)
{
	while (c->count && cells_end(c) > end)
		cells_fini_one(&c->items[--c->count]);
	c->is_running = false;
}

void cells_fini(struct cells *c)
{
	cells_cut(c, 0);
	free(c->items);
	cells_init(c);
}

size_t cells_next_run(const struct cells *c, size_t at)
{
	size_t first = 0;

	for (size_t i = 0; i < c->count; i++)
		first = c->items[i].is_lost ? i + 1 : first;
	for (size_t i = at == SIZE_MAX ? first : at + 1; i < c->count; i++) {
		if (c->items[i].kind == CELL_CODE && c->items[i].is_well)
			return i;
	}
	return SIZE_MAX;
}

/* -- files ----------------------------------------------------------------------------------- */

void cells_put(const struct cells *c, struct buf *out)
{
	json_put_begin(out, "cells", '[');
	for (size_t i = 0; i < c->count; i++) {
		const struct cell *x = &c->items[i];

		json_put_begin(out, NULL, '{');
		json_put_text(out, "kind", names[x->kind]);
		json_put_text(out, "text", x->text);
		if (x->kind == CELL_CODE) {
			json_put_text(out, "output", x->output);
			json_put_bool(out, "is_well", x->is_well);
			json_put_bool(out, "is_lost", x->is_lost);
		}
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

static void cells_take_one(struct cells *c, const struct json *node)
{
	const char *kind = json_string_at(node, "kind");
	const char *text = json_string_at(node, "text");
	struct cell *x;

	for (int i = CELL_TASK; kind && text && i <= CELL_ANSWER; i++) {
		if (strcmp(kind, names[i]) != 0)
			continue;
		x = cells_add(c, (enum cell_kind)i, text);
		x->output = own_strdup(json_string_at(node, "output"));
		x->is_well = json_is_true(json_get(node, "is_well"));
		x->is_lost = json_is_true(json_get(node, "is_lost"));
	}
}

void cells_take(struct cells *c, const struct json *list)
{
	for (const struct json *n = list ? json_first(list) : NULL; n; n = json_next(n))
		cells_take_one(c, n);
}

static void cells_put_code(const struct cell *x, struct buf *out)
{
	json_put_null(out, "execution_count");
	json_put_begin(out, "outputs", '[');
	if (x->output) {
		json_put_begin(out, NULL, '{');
		json_put_text(out, "output_type", "stream");
		json_put_text(out, "name", x->is_well ? "stdout" : "stderr");
		json_put_text(out, "text", x->output);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

static void cells_put_metadata(const char *mark, struct buf *out)
{
	json_put_begin(out, "metadata", '{');
	json_put_uint(out, mark, 1);
	json_put_begin(out, "kernelspec", '{');
	json_put_text(out, "display_name", "Python 3");
	json_put_text(out, "language", "python");
	json_put_text(out, "name", "python3");
	json_put_end(out, '}');
	json_put_end(out, '}');
}

void cells_put_notebook(const struct cells *c, const char *mark, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_uint(out, "nbformat", 4);
	json_put_uint(out, "nbformat_minor", 4);
	cells_put_metadata(mark, out);
	json_put_begin(out, "cells", '[');
	for (size_t i = 0; i < c->count; i++) {
		const struct cell *x = &c->items[i];

		json_put_begin(out, NULL, '{');
		json_put_text(out, "cell_type", x->kind == CELL_CODE ? "code" : "markdown");
		json_put_begin(out, "metadata", '{');
		json_put_end(out, '}');
		json_put_text(out, "source", x->text);
		if (x->kind == CELL_CODE)
			cells_put_code(x, out);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
	json_put_end(out, '}');
	buf_text(out, "\n");
}
