/*
 * mcp_outcome - the output of an execution, each part cut to its share of a result.
 */
#include "mcp/mcp_outcome.h"

#include <string.h>

#include "mcp/mcp_text.h"

/* Shares of a result. A result carries each of five texts twice. */
#define IMAGES_PART 2
#define TEXT_PART   24

#define SPARE_BYTES 8  /* more than the bytes of one character */
#define MARK_BYTES  16 /* bytes of the mark of mcp_text_cut_front() */
#define RAW_PART    16 /* filter so many times the bytes of a traceback that are shown */

bool mcp_outcome_is_error(const struct mcp_outcome *o)
{
	return o->is_lost || (o->result->verdict != CODE_OK &&
			      !(o->result->verdict == CODE_EXIT && !o->result->exit_code));
}

static void mcp_outcome_cut(struct mcp_outcome *o, struct mcp_call *c)
{
	const size_t most = (size_t)c->connection->backend->options.output_max;
	const size_t json = c->request->rpc->result_most / TEXT_PART;

	for (int i = 0; i < 2; i++) {
		terminal_text_end(&c->shown[i]);
		c->out[i].cap = 0;
		o->is_cut[i] = mcp_text_cut(&c->out[i], most, json) || c->result.call.truncated[i];
	}
	o->is_cut_else = mcp_text_cut_front(&o->traceback, most);
	o->is_cut_else |= mcp_text_cut(&o->traceback, most + MARK_BYTES, json);
	o->is_cut_else |= mcp_text_cut(&o->value, most, json);
	o->is_cut_else |= mcp_text_cut(&o->display, most, json);
	for (size_t i = 0; i < o->display_count; i++) {
		if (o->display_ends[i] > o->display.length)
			o->display_ends[i] = o->display.length;
	}
}

static void mcp_outcome_filter(struct terminal_text *filter, const char *text)
{
	terminal_text_add(filter, text, strlen(text));
}

/* Copy a little more than is shown, so that the cut is marked. */
static void mcp_outcome_copy_value(struct mcp_outcome *o, size_t most)
{
	struct terminal_text t = {.out = &o->value};

	o->value.cap = most + SPARE_BYTES;
	mcp_outcome_filter(&t, o->result->value ? o->result->value : "");
	terminal_text_end(&t);
	terminal_text_fini(&t);
	o->value.cap = 0;
}

static void mcp_outcome_copy_displays(struct mcp_outcome *o, size_t most)
{
	struct terminal_text t = {.out = &o->display};
	const struct json *n = NULL;

	o->display.cap = most + SPARE_BYTES;
	while (o->display_count < DISPLAYS_MAX && (n = call_result_next_display(o->result, n))) {
		const char *text = call_result_display_text(n);

		if (text) {
			mcp_outcome_filter(&t, text);
			mcp_outcome_filter(&t, "\n");
		}
		o->display_ends[o->display_count++] = o->display.length;
	}
	terminal_text_fini(&t);
	o->display.cap = 0;
}

/* Keep the end of a traceback, which names the error. */
static void mcp_outcome_copy_traceback(struct mcp_outcome *o, size_t most)
{
	auto_buf struct buf whole = {0};

	call_result_traceback(o->result, call_result_add, &whole);
	most *= RAW_PART;
	terminal_text(buf_string(&whole) + (whole.length > most ? whole.length - most : 0),
		      whole.length > most ? most : whole.length, &o->traceback);
}

void mcp_outcome_open(struct mcp_outcome *o, struct mcp_call *c)
{
	const size_t most = (size_t)c->connection->backend->options.output_max;
	const struct call_result *r = &c->result.outcome;

	*o = (struct mcp_outcome){.call = c, .result = r, .is_lost = c->result.call.lost};
	mcp_outcome_copy_value(o, most);
	mcp_outcome_copy_displays(o, most);
	mcp_outcome_copy_traceback(o, most);
	mcp_images_read(&o->images, r->answer, c->request->rpc->result_most / IMAGES_PART);
	mcp_outcome_cut(o, c);
}

void mcp_outcome_close(struct mcp_outcome *o)
{
	buf_fini(&o->display);
	buf_fini(&o->value);
	buf_fini(&o->traceback);
	mcp_images_fini(&o->images);
}
