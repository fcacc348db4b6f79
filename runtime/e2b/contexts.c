/*
 * contexts - /contexts: names of the interpreter apart from others, and where they begin.
 */
#include "e2b/calls.h"

#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "e2b/connect.h"
#include "e2b/e2b_box.h"
#include "e2b/entry.h"
#include "request/session_work.h"
#include "workspace/files_path.h"

#define JSON "application/json"

const char *contexts_language(const char *text)
{
	static const char *const known[][2] = {
		{"python",     "python"    },
		{"bash",       "bash"      },
		{"javascript", "javascript"},
		{"js",         "javascript"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(text, known[i][0]))
			return known[i][1];
	}
	return NULL;
}

static void contexts_put(const struct box_context *c, struct buf *out)
{
	json_put(out, "{id:%s, language:%s, cwd:%s}", c->id, c->language, c->cwd);
}

void contexts_run_list(struct request *r)
{
	struct e2b_box *b = entry_box(r);
	auto_buf struct buf body = {0};

	if (!b)
		return;
	json_put_begin(&body, NULL, '[');
	for (unsigned i = 0; i <= BOX_CONTEXTS; i++) {
		if (*b->box.contexts[i].id)
			contexts_put(&b->box.contexts[i], &body);
	}
	json_put_end(&body, ']');
	request_reply(r, 200, JSON, &body);
}

static void contexts_create(struct request *r, struct e2b_box *b, const struct json *asked)
{
	const char *language = json_string_at(asked, "language");
	const char *cwd = json_string_at(asked, "cwd");
	auto_free char *place = e2b_box_path(cwd ? cwd : "");
	auto_buf struct buf body = {0};
	const struct box_context *c;

	language = language ? language : E2B_BOX_DEFAULT;
	if (strlen(place) > FILES_PATH_BYTES_MAX || !contexts_language(language)) {
		request_refuse(r, 500,
			       "Failed to create context: " CONTEXTS_LANGUAGES ", and a directory");
		return;
	}
	c = box_context_add(&b->box, contexts_language(language), place);
	if (!c) {
		request_refuse(r, 500, "Failed to create context: there are %d", BOX_CONTEXTS);
		return;
	}
	contexts_put(c, &body);
	request_reply(r, 200, JSON, &body);
}

void contexts_run_create(struct request *r)
{
	struct e2b_box *b = entry_box(r);
	auto_json struct json *asked = NULL;

	if (!b)
		return;
	if (r->body.length)
		asked = connect_parse(r->body.data, r->body.length);
	if (r->body.length && !asked)
		request_refuse(r, 400, "the body must be a JSON object");
	else
		contexts_create(r, b, asked);
}

/* The context of the path; NULL: refused and answered. */
static struct box_context *contexts_named(struct request *r, struct e2b_box **box)
{
	struct box_context *c;

	*box = entry_box(r);
	if (!*box)
		return NULL;
	c = box_context(&(*box)->box, r->segments[0]);
	if (!c)
		request_refuse(r, 404, "Context %s not found", r->segments[0]);
	return c;
}

static void contexts_reply_null(struct request *r)
{
	auto_buf struct buf body = {0};

	buf_text(&body, "null");
	request_reply(r, 200, JSON, &body);
}

void contexts_run_drop(struct request *r)
{
	struct e2b_box *b;
	struct box_context *c = contexts_named(r, &b);

	if (!c)
		return;
	if (c == &b->box.contexts[0]) {
		request_refuse(r, 400,
			       "the context " E2B_BOX_DEFAULT " is every sandbox's: restart it");
		return;
	}
	box_context_drop(c);
	contexts_reply_null(r);
}

/* It begins anew with its next call; one that runs is interrupted. */
void contexts_run_restart(struct request *r)
{
	struct e2b_box *b;
	struct box_context *c = contexts_named(r, &b);

	if (!c)
		return;
	c->is_fresh = true;
	(void)session_work_interrupt(r->server, b->box.name);
	contexts_reply_null(r);
}
