/*
 * egress - start and ask the process that serves one sandbox's network.
 */
#include "host/egress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/json_put.h"
#include "base/message.h"
#include "base/own.h"
#include "base/trusted_path.h"
#include "host/egress_process.h"

#define REQUEST_MAX (128u << 10)
#define ANSWER_MAX  (128u << 10) /* enough for a list (EGRESS_MAX_JSON) */

static int egress_is_gone(struct err *e)
{
	return err_set(e, ERR_GONE, "the process for its network (%s) has ended", EGRESS_PROGRAM);
}

/* -- requests ------------------------------------------------------------------------------- */

#define EGRESS_MORE (EGRESS_MAX_PUBLISHED + 1) /* descriptors that a request may need */

/* @more: descriptors to send along. @answer: out: owned, receives the answer. */
static int egress_ask(int control, const struct buf *request, const int *more, unsigned count,
		      int *answer, struct err *e)
{
	const uint64_t end_us = monotonic_us() + EGRESS_ANSWER_MS * 1000ull;
	auto_fd int ours = -1;
	auto_fd int theirs = -1;
	int fds[1 + EGRESS_MORE];
	ssize_t n;

	if (request->length > REQUEST_MAX)
		return err_input(e, "the list of hosts is too long: %zu KiB, and %u are possible",
				 request->length >> 10, REQUEST_MAX >> 10);
	if (message_pair(SOCK_SEQPACKET, &ours, &theirs))
		return err_sys(e, "make a socket for an answer");
	fds[0] = theirs;
	if (count)
		memcpy(fds + 1, more, count * sizeof(*more));
	do
		n = message_send(control, request->data, request->length, fds, 1 + count,
				 MSG_DONTWAIT);
	while (n < 0 && errno == EAGAIN && fd_await(control, POLLOUT, end_us));
	if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
		return egress_is_gone(e);
	if (n < 0)
		return err_sys(e, "send an order to %s", EGRESS_PROGRAM);
	*answer = take_fd(&ours);
	return 0;
}

static int egress_take_error(const struct json *answer, struct err *e)
{
	const char *text = json_string_at(answer, "error");
	const char *kind = json_string_at(answer, "kind");
	const enum err_kind known = kind ? err_kind_of(kind) : ERR_NONE;

	if (!text)
		return err_set(e, ERR_SYSTEM, "%s gave an answer that is none", EGRESS_PROGRAM);
	return err_set(e, known == ERR_NONE ? ERR_SYSTEM : known, "%s", text);
}

/* Never waits. 1: *out is owned; 0: not yet; -1: *e. */
static int egress_receive(int answer, struct json **out, struct err *e)
{
	auto_free char *text = own_zeroed(ANSWER_MAX, 1);
	auto_json struct json *json = NULL;
	struct message_extra extra;
	struct err ignored;
	ssize_t n = message_receive(answer, text, ANSWER_MAX, MSG_DONTWAIT, &extra);

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n >= 0)
		message_drop(&extra); /* an answer carries no descriptors */
	if (n <= 0)
		return egress_is_gone(e);
	json = json_parse(text, (size_t)n, &ignored);
	if (!json || !json_is_object(json) || !json_is_true(json_get(json, "ok")))
		return egress_take_error(json && json_is_object(json) ? json : NULL, e);
	*out = take_ptr(&json);
	return 1;
}

static int egress_is_silent(struct err *e)
{
	return err_set(e, ERR_SYSTEM, "%s does not answer", EGRESS_PROGRAM);
}

/* Send a request and wait for the answer, which is owned. @more: descriptors to send along. */
static int egress_call_with(int control, const struct buf *request, const int *more, unsigned count,
			    struct json **out, struct err *e)
{
	const uint64_t end_us = monotonic_us() + EGRESS_ANSWER_MS * 1000ull;
	auto_fd int answer = -1;
	int got;

	if (egress_ask(control, request, more, count, &answer, e))
		return -1;
	do
		got = egress_receive(answer, out, e);
	while (!got && fd_await(answer, POLLIN, end_us));
	return got < 0 ? -1 : got ? 0 : egress_is_silent(e);
}

static int egress_call(int control, const struct buf *request, struct json **out, struct err *e)
{
	return egress_call_with(control, request, NULL, 0, out, e);
}

/* -- the beginning --------------------------------------------------------------------------- */

/* The descriptors that go along: those of published ports in the order of the list, then the log.
 */
static int egress_begin_with(const struct egress_spec *spec, const char *id, int log,
			     const struct published *ports, struct egress *x, struct err *e)
{
	auto_buf struct buf request = {0};
	struct egress_spec bound = *spec;
	int more[EGRESS_MORE];

	memcpy(more, ports->fds, ports->count * sizeof(*more));
	more[ports->count] = log;
	bound.published = (struct egress_published *)ports->ports;
	bound.published_count = ports->count;
	json_put_begin(&request, NULL, '{');
	json_put_text(&request, "op", "begin");
	json_put_text(&request, "sandbox", id);
	egress_to_json(&bound, &request);
	json_put_end(&request, '}');
	return egress_ask(x->control, &request, more, ports->count + (log >= 0), &x->answer, e);
}

static int egress_begin(const struct egress_spec *spec, const char *id, struct egress *x,
			struct err *e)
{
	auto_fd int log = -1;
	struct published ports;
	struct stat st;
	int bad;

	if (spec->log.text) {
		/* Mode 0600: the log names the hosts that the program looked up. */
		log = trusted_path_write(spec->log, LINKS_OF_CALLER, O_TRUNC, 0600, e);
		if (log < 0)
			return err_prefix(e, "--egress-log");
	}
	if (log >= 0 && (fstat(log, &st) || !S_ISREG(st.st_mode)))
		return err_input(e, "--egress-log %.300s is not an ordinary file", spec->log.text);
	if (published_listen(spec->published, spec->published_count, &ports, e))
		return -1;
	bad = egress_begin_with(spec, id, log, &ports, x, e);
	memcpy(x->published, ports.ports, sizeof(x->published));
	x->published_count = ports.count;
	published_close(&ports);
	return bad;
}

int egress_prepare(const char *program, const struct egress_spec *spec, const char *id,
		   enum egress_life life, struct egress *out, struct err *e)
{
	*out = egress_none();
	if (access(program, X_OK))
		return err_set(e, ERR_UNSUPPORTED,
			       "%s is not installed: its package has it (docs/install.md)",
			       EGRESS_PROGRAM);
	out->program = own_strdup(program);
	out->life = life;
	if (message_pair(SOCK_SEQPACKET, &out->control, &out->ends[0]) ||
	    message_pair(SOCK_SEQPACKET, &out->inner, &out->ends[1]))
		err_sys(e, "make a socket for %s", EGRESS_PROGRAM);
	else if (!egress_begin(spec, id, out, e))
		return 0;
	egress_end(out);
	return -1;
}

int egress_start(struct egress *x, const struct cgroup *group, struct err *e)
{
	const struct egress_program program = {x->program, x->ends[0], x->ends[1], x->life};

	if (x->ends[0] < 0)
		return 0;
	x->end_us = monotonic_us() + EGRESS_ANSWER_MS * 1000ull;
	if (egress_process_start(&program, group, &x->pid, e))
		return -1;
	own_close(&x->ends[0]);
	own_close(&x->ends[1]);
	return 0;
}

int egress_look(struct egress *x, struct err *e)
{
	auto_json struct json *answer = NULL;
	int got;

	if (x->answer < 0)
		return 1;
	got = egress_receive(x->answer, &answer, e);
	if (!got)
		return monotonic_us() < x->end_us ? 0 : egress_is_silent(e);
	own_close(&x->answer);
	return got;
}

int egress_await(struct egress *x, struct err *e)
{
	int begun;

	while (!(begun = egress_look(x, e)))
		(void)fd_await(x->answer, POLLIN, x->end_us);
	return begun < 0 ? -1 : 0;
}

void egress_end(struct egress *x)
{
	own_close(&x->control);
	own_close(&x->inner);
	own_close(&x->answer);
	own_close(&x->ends[0]);
	own_close(&x->ends[1]);
	free(x->program);
	x->program = NULL;
	if (x->pid)
		egress_process_end(x->pid);
	x->pid = 0;
}

/* -- afterwards ------------------------------------------------------------------------------ */

static void egress_write_ports(const char *op, const struct egress_published *ports, size_t count,
			       struct buf *out)
{
	const struct egress_spec only = {.published = (struct egress_published *)ports,
					 .published_count = count,
					 .connections = 1};

	json_put_begin(out, NULL, '{');
	json_put_text(out, "op", op);
	egress_to_json(&only, out);
	json_put_end(out, '}');
}

int egress_replace(int control, const struct egress_spec *spec, struct err *e)
{
	auto_buf struct buf request = {0};
	auto_json struct json *answer = NULL;

	json_put_begin(&request, NULL, '{');
	json_put_text(&request, "op", "list");
	egress_to_json(spec, &request);
	json_put_end(&request, '}');
	return egress_call(control, &request, &answer, e);
}

int egress_publish(int control, const struct published *ports, struct err *e)
{
	auto_buf struct buf request = {0};
	auto_json struct json *answer = NULL;

	egress_write_ports("publish", ports->ports, ports->count, &request);
	return egress_call_with(control, &request, ports->fds, ports->count, &answer, e);
}

int egress_withdraw(int control, const struct egress_published *ports, size_t count, struct err *e)
{
	auto_buf struct buf request = {0};
	auto_json struct json *answer = NULL;

	egress_write_ports("withdraw", ports, count, &request);
	return egress_call(control, &request, &answer, e);
}

int egress_show(int control, struct egress_spec *out, struct err *e)
{
	auto_buf struct buf request = {0};
	auto_json struct json *answer = NULL;
	const struct json *network;

	json_put_begin(&request, NULL, '{');
	json_put_text(&request, "op", "show");
	json_put_end(&request, '}');
	if (egress_call(control, &request, &answer, e))
		return -1;
	network = json_get(answer, "network");
	return network ? egress_from_json(network, out, e) : egress_take_error(answer, e);
}

int egress_summarize(int control, struct egress_summary *out, struct err *e)
{
	auto_buf struct buf request = {0};
	auto_json struct json *answer = NULL;
	const struct json *summary;

	json_put_begin(&request, NULL, '{');
	json_put_text(&request, "op", "summary");
	json_put_end(&request, '}');
	if (egress_call(control, &request, &answer, e))
		return -1;
	summary = json_get(answer, "summary");
	if (!summary || !json_is_object(summary))
		return egress_take_error(answer, e);
	egress_summary_read(summary, out);
	return 0;
}
