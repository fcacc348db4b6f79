/*
 * running - a program in a sandbox of E2B's API, and those who listen to it.
 */
#include "e2b/running.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/utf8.h"
#include "e2b/connect.h"
#include "e2b/entry.h"
#include "e2b/watcher.h"
#include "loop/clock.h"

/* -- its end --------------------------------------------------------------------------------- */

/* It may have run, and nobody will know how it ended: the audit has a line of it all the same. */
static void running_close_account(struct running *p)
{
	struct err lost;
	struct err ignored;

	if (p->account.server && p->further && further_number(p->further)) {
		err_set(&lost, ERR_GONE, "its sandbox has ended, or its server");
		(void)account_end(&p->account, NULL, &lost, false, &ignored);
	}
	account_close(&p->account);
}

static void running_free(struct running *p)
{
	running_close_account(p);
	listener_refuse_all(&p->audience, entry_refuse_gone);
	p->box->program_count--;
	LIST_REMOVE(p, link);
	further_free(p->further);
	p->box->input_bytes -= p->input.length;
	key_release(p->key);
	list_fini(&p->words);
	list_fini(&p->env);
	free(p->cwd);
	free(p->tag);
	buf_fini(&p->input);
	buf_fini(&p->audience.start);
	for (int i = 0; i < 2; i++)
		buf_fini(&p->rest[i]);
	free(p);
}

/* A box has ended: forget its programs and watchers, whose clients see the end. */
static void running_release(struct box *box)
{
	struct e2b_box *b = (struct e2b_box *)box;

	while (!LIST_EMPTY(&b->programs))
		running_free(LIST_FIRST(&b->programs));
	watcher_free_all(b);
	e2b_box_release(box);
}

const struct box_face e2b_face = {
	.size = sizeof(struct e2b_box),
	.begin = e2b_box_begin,
	.release = running_release,
};

void running_gone(struct session_work *w, const struct err *e)
{
	entry_refuse_gone(w->request);
	if (e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE)
		box_forget_named(w->server, &e2b_face, w->name);
}

/* As Go's os/exec says it: "exit status 3", "signal: killed". */
static void running_put_status(int status, struct buf *out)
{
	auto_buf struct buf text = {0};
	const bool exited = WIFEXITED(status);

	if (exited)
		buf_printf(&text, "exit status %d", WEXITSTATUS(status));
	else
		buf_printf(&text, "signal: %s", strsignal(WTERMSIG(status)));
	for (size_t i = 0; i < text.length; i++)
		text.data[i] = (char)tolower((unsigned char)text.data[i]);
	json_put(out, "{event:{end:{exitCode:%d, exited:%i, status:%s, error:%s}}}",
		 exited ? WEXITSTATUS(status) : -1, exited, text.data, exited ? NULL : text.data);
}

static int running_settle(struct running *p, struct err *e)
{
	const struct further_result *r = &p->result;
	const bool exited = WIFEXITED(r->status);
	const struct verdict verdict = {.kind = r->timed_out ? VERDICT_WALL_TIME
						: exited     ? VERDICT_EXITED
							     : VERDICT_SIGNALLED,
					.exit_code = exited ? WEXITSTATUS(r->status)
							    : 128 + WTERMSIG(r->status),
					.duration_us = monotonic_us() - p->began_us};

	return account_end(&p->account, r->failed ? NULL : &verdict, &r->error,
			   !LIST_EMPTY(&p->audience.listeners), e);
}

static void running_fail(struct running *p, enum connect_code code, const char *message)
{
	/* The door reports the directory by its errno; a program that is missing has a kind. */
	if (!p->has_started && code == CONNECT_INTERNAL && p->result.error.number)
		code = CONNECT_INVALID;
	if (p->result.no_session)
		listener_refuse_all(&p->audience, entry_refuse_gone);
	else
		listener_end_all(&p->audience, code, message);
}

static void running_tell(struct running *p, int stream, const struct buf *bytes);

static void running_done(void *context)
{
	struct running *p = context;
	const bool is_busy = p->result.error.kind == ERR_BUSY; /* it stands still */
	struct e2b_box *b = p->result.no_session && !is_busy ? p->box : NULL;
	auto_buf struct buf event = {0};
	struct err e;

	for (int i = 0; i < 2; i++)
		running_tell(p, i + 1, &p->rest[i]);
	if (running_settle(p, &e))
		listener_end_all(&p->audience, CONNECT_UNAVAILABLE, e.text);
	else if (p->result.timed_out)
		listener_end_all(&p->audience, CONNECT_LATE,
				 "the program ran for longer than its timeout");
	else if (p->result.failed)
		running_fail(p, connect_code_of(&p->result.error), p->result.error.text);
	else {
		running_put_status(p->result.status, &event);
		listener_tell_all(&p->audience, &event);
		listener_end_all(&p->audience, 0, NULL);
	}
	running_free(p);
	if (b)
		box_forget(&b->box);
}

static void running_hold(void *context, bool held)
{
	const struct running *p = context;

	if (p->further)
		further_hold(p->further, held);
}

/* -- its streams ----------------------------------------------------------------------------- */

static void running_started(void *context)
{
	struct running *p = context;

	p->has_started = true;
	account_go_on(&p->account);
	json_put(&p->audience.start, "{event:{start:{pid:%u}}}", running_pid(p));
	listener_open_all(&p->audience);
}

static void running_tell(struct running *p, int stream, const struct buf *bytes)
{
	auto_buf struct buf event = {0};
	auto_buf struct buf text = {0};

	if (!bytes->length)
		return;
	encode_base64(bytes->data, bytes->length, &text);
	json_put_begin(&event, NULL, '{');
	json_put_begin(&event, "event", '{');
	json_put_begin(&event, "data", '{');
	json_put_text(&event,
		      p->request.tty ? "pty"
		      : stream == 1  ? "stdout"
				     : "stderr",
		      text.data);
	buf_text(&event, "}}}");
	listener_tell_all(&p->audience, &event);
}

/* Clients decode each piece by itself: a character goes out whole. */
static void running_take(void *context, int stream, const char *bytes, size_t length)
{
	struct running *p = context;
	struct buf *rest = &p->rest[stream - 1];
	auto_buf struct buf whole = *rest;
	size_t tail;

	*rest = (struct buf){0};
	buf_add(&whole, bytes, length);
	tail = utf8_tail(whole.data, whole.length);
	buf_add(rest, whole.data + whole.length - tail, tail);
	buf_cut(&whole, whole.length - tail);
	running_tell(p, stream, &whole);
}

/* -- its input ------------------------------------------------------------------------------- */

static void running_pump(void *context)
{
	struct running *p = context;
	size_t done = 0;
	size_t n = 1;

	while (n && done < p->input.length) {
		n = further_feed(p->further, p->input.data + done, p->input.length - done);
		done += n;
	}
	if (done) {
		p->box->input_bytes -= done;
		p->input.length -= done;
		memmove(p->input.data, p->input.data + done, p->input.length);
	}
	if (p->ends_input && p->has_started && !p->input.length)
		further_feed_end(p->further);
}

bool running_feed(struct running *p, const char *bytes, size_t length)
{
	if (p->box->input_bytes + length > RUNNING_INPUT_MOST)
		return false;
	p->box->input_bytes += length;
	buf_add(&p->input, bytes, length);
	running_pump(p);
	return true;
}

void running_feed_end(struct running *p)
{
	p->ends_input = true;
	running_pump(p);
}

/* -- its beginning --------------------------------------------------------------------------- */

static size_t running_bytes(const struct running *p)
{
	size_t bytes = 0;

	for (size_t i = 0; i < p->words.count; i++)
		bytes += strlen(p->words.items[i]);
	for (size_t i = 0; i < p->env.count; i++)
		bytes += strlen(p->env.items[i]);
	return bytes;
}

static int running_read(struct running *p, const struct json *wish, struct err *e)
{
	const struct json *process = json_get(wish, "process");
	const struct json *pty = json_get(json_get(wish, "pty"), "size");
	const struct json *in = json_get(wish, "stdin");
	const char *cmd = json_text_at(process, "cmd");
	const char *cwd = json_string_at(process, "cwd");

	if (!*cmd)
		return err_input(e, "process.cmd: a program is needed");
	list_add(&p->words, cmd);
	for (const struct json *n = json_first(json_get(process, "args")); n; n = json_next(n))
		list_add(&p->words, json_string(n) ? json_string(n) : "");
	for (size_t i = 0; i < p->box->env.count; i++)
		list_add(&p->env, p->box->env.items[i]);
	p->env_own = p->env.count;
	if (e2b_box_read_env(&p->env, json_get(process, "envs"), e))
		return -1;
	if (running_bytes(p) > RUNNING_WORDS_MOST)
		return err_input(e, "process: its words and variables have more than %d bytes",
				 RUNNING_WORDS_MOST);
	p->cwd = e2b_box_path(cwd ? cwd : "");
	p->tag = own_strdup(json_string_at(wish, "tag"));
	p->request.tty = pty != NULL;
	p->request.rows = (uint16_t)json_uint_at(pty, "rows", 24);
	p->request.columns = (uint16_t)json_uint_at(pty, "cols", 80);
	p->request.interactive = pty || !json_is_bool(in) || json_is_true(in);
	return 0;
}

static int running_admit(struct running *p, struct request *r, struct err *e)
{
	auto_buf struct buf line = {0};

	for (size_t i = 0; i < p->words.count; i++)
		buf_printf(&line, "%s%s", i ? " " : "", p->words.items[i]);
	account_open(&p->account, r, METRICS_SESSION_BASH);
	account_name_session(&p->account, p->box->box.name, true);
	return account_admit(&p->account, line.data, line.length, &r->server->terms, e);
}

static int running_begin(struct running *p, struct request *r, const struct json *wish,
			 struct err *e)
{
	struct further_request *q = &p->request;

	if (p->box->program_count > RUNNING_MOST)
		return err_set(e, ERR_LIMIT, "this sandbox has %d programs, as many as it may",
			       RUNNING_MOST);
	if (running_read(p, wish, e) || running_admit(p, r, e))
		return -1;
	q->where = supplier_where(&r->server->supplier);
	q->name = p->box->box.name;
	q->words = &p->words;
	q->env = &p->env;
	q->workdir = p->cwd;
	q->timeout_ms = connect_timeout_ms(r);
	q->started = running_started;
	q->take = running_take;
	q->fed = running_pump;
	p->began_us = monotonic_us();
	return further_start(r->server->hub, q, &p->result, running_done, p, &p->further, e);
}

void running_start(struct request *r, struct e2b_box *b, const struct json *wish)
{
	struct running *p = own_zeroed(1, sizeof(*p));
	struct err e;

	p->box = b;
	p->audience = (struct audience){.hub = r->server->hub,
					.hold = running_hold,
					.context = p,
					.beat = "{\"event\":{\"keepalive\":{}}}"};
	p->key = r->key;
	key_hold(p->key);
	LIST_INSERT_HEAD(&b->programs, p, link);
	b->program_count++;
	if (!running_begin(p, r, wish, &e)) {
		listener_add(&p->audience, r);
		return;
	}
	connect_refuse_stream(r, connect_code_of(&e), e.text);
	running_free(p);
}

uint32_t running_pid(const struct running *p)
{
	return RUNNING_PID + further_number(p->further);
}

struct running *running_named(const struct e2b_box *b, uint64_t pid, const char *tag)
{
	struct running *p;

	LIST_FOREACH (p, &b->programs, link) {
		if (pid ? p->has_started && running_pid(p) == pid
			: tag && p->tag && !strcmp(tag, p->tag))
			return p;
	}
	return NULL;
}

struct running *running_find(const struct e2b_box *b, const struct json *selector)
{
	return running_named(b, json_uint_at(selector, "pid", 0), json_string_at(selector, "tag"));
}
