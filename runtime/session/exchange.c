/*
 * exchange - send a request over a session's channel, and receive its answer over a pipe of its
 * own.
 */
#include "session/exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json_span.h"
#include "base/json_strict.h"
#include "base/own.h"
#include "net/message.h"
#include "wire/session.h"

#define REQUEST_FRAME 64     /* more than a request's id and braces */
#define ANSWER_PARTS  200000 /* values; 1,000 displays of 64 representations have far fewer */

/* The number identifies our request; hostile code could read it, and would only deceive itself. */
static void exchange_write_request(const struct call_request *request, uint32_t number, bool marks,
				   struct buf *out)
{
	unsigned char header[FRAME_HEADER];
	char id[48];
	int n = snprintf(id, sizeof(id), "{\"id\":%u,%s", number, marks ? "\"marks\":true," : "");

	frame_header((uint32_t)((size_t)n + request->length + 1), header);
	buf_add(out, header, sizeof(header));
	buf_add(out, id, (size_t)n);
	buf_add(out, request->members, request->length);
	buf_text(out, "}");
}

int exchange_open(struct exchange *out, const struct call_request *request, uint32_t id, bool marks,
		  struct err *e)
{
	*out = (struct exchange){.socket = request->socket,
				 .pipe = -1,
				 .theirs = -1,
				 .handed_count = request->handed_count};
	memcpy(out->handed, request->handed, sizeof(out->handed));
	if (request->length > SESSION_REQUEST_MAX - REQUEST_FRAME)
		return err_input(e, "the code takes %zu MiB as JSON: 64 MiB at most",
				 request->length >> 20);
	if (frame_pipe(&out->pipe, &out->theirs))
		return err_sys(e, "make the pipe of an answer");
	exchange_write_request(request, id, marks, &out->request);
	return 0;
}

static void exchange_close_sent(struct exchange *x)
{
	own_close(&x->theirs);
	for (; x->handed_count; x->handed_count--)
		own_close(&x->handed[x->handed_count - 1]);
}

void exchange_close(struct exchange *x)
{
	own_close(&x->pipe);
	exchange_close_sent(x);
	buf_fini(&x->request);
	frame_fini(&x->frame);
}

bool exchange_is_sending(const struct exchange *x)
{
	return x->sent < x->request.length;
}

bool exchange_is_taken(const struct exchange *x)
{
	int unread = 0;

	return !exchange_is_sending(x) && (ioctl(x->socket, SIOCOUTQ, &unread) || !unread);
}

bool exchange_no_room(int error, struct err *e)
{
	switch (error) {
	case ETOOMANYREFS:
		err_set(e, ERR_LIMIT,
			"the request was not sent: too many descriptors of this user are on their "
			"way to other processes (ulimit -n)");
		return true;
	case ENOBUFS:
	case ENOMEM:
		err_set(e, ERR_LIMIT, "the request was not sent: the kernel has no memory for it");
		return true;
	default:
		return false;
	}
}

static enum exchange_event exchange_judge(const struct exchange *x, int error)
{
	struct err ignored;

	if (error == EAGAIN || error == EINTR)
		return EXCHANGE_GOES_ON;
	if (!exchange_no_room(error, &ignored))
		return EXCHANGE_HUNG_UP;
	return x->sent ? EXCHANGE_GOES_ON
		       : EXCHANGE_NO_ROOM; /* a request that was started is continued */
}

/* Descriptors travel with the first byte; then only the session has them. */
enum exchange_event exchange_send(struct exchange *x)
{
	int fds[1 + EXCHANGE_HANDED] = {x->theirs};
	unsigned count = x->sent ? 0 : 1 + x->handed_count;
	ssize_t n;

	memcpy(fds + 1, x->handed, sizeof(x->handed));
	n = message_send(x->socket, x->request.data + x->sent, x->request.length - x->sent, fds,
			 count, MSG_DONTWAIT);

	if (n < 0)
		return exchange_judge(x, errno);
	x->sent += (size_t)n;
	if (n)
		exchange_close_sent(x);
	return EXCHANGE_GOES_ON;
}

enum exchange_event exchange_receive(struct exchange *x, size_t answer_max)
{
	char bytes[65536];
	ssize_t n = read(x->pipe, bytes, sizeof(bytes));
	struct err ignored;
	size_t used = 0;
	int done;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return EXCHANGE_GOES_ON;
	if (n <= 0)
		return EXCHANGE_HUNG_UP;
	done = frame_add(&x->frame, bytes, (size_t)n, answer_max, &used, &ignored);
	if (done < 0)
		return EXCHANGE_TOO_LARGE;
	if (used < (size_t)n)
		return EXCHANGE_TWICE;
	return done ? EXCHANGE_ANSWERED : EXCHANGE_GOES_ON;
}

bool exchange_has_answer(const struct exchange *x, uint32_t id)
{
	const struct buf *body = &x->frame.body;
	struct json_span number;
	struct err ignored;
	char wanted[16];

	/* A tree takes at least 64 bytes of our memory per value. */
	if (json_check_strict(buf_string(body), body->length, ANSWER_PARTS, &ignored))
		return false;
	number = json_span_member(json_span_of(buf_string(body), body->length), "id");
	snprintf(wanted, sizeof(wanted), "%" PRIu32, id);
	return number.length == strlen(wanted) && !memcmp(number.text, wanted, number.length);
}
