/*
 * twin_ping - whether a checkpoint is there, and which process it is.
 */
#include "cell/twin_ping.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/message.h"
#include "base/own.h"
#include "cell/frame.h"

#define WAIT_MS    20000
#define ANSWER_MAX 1024
#define GONE       "the checkpoint has ended (memory limit?)"

static int read_pid(struct buf *body, uint32_t *out, struct err *e)
{
	auto_json struct json *said = json_parse(buf_string(body), body->length, e);
	const char *why = NULL;
	uint64_t pid = 0;

	if (!said || json_get_string(said, "error", &why, e))
		return -1;
	if (why)
		return err_set(e, ERR_SYSTEM, "it cannot be made: %.300s", why);
	if (json_get_uint(said, "pid", &pid, e))
		return -1;
	if (pid < 1 || pid > UINT32_MAX)
		return err_input(e, "it names a pid that cannot be");
	*out = (uint32_t)pid;
	return 0;
}

/* The queue of a checkpoint that does not come for its requests is full one day: so never wait. */
static int ask(int socket, int theirs, struct err *e)
{
	static const char request[] = "{\"id\":0,\"op\":\"ping\"}";
	unsigned char header[FRAME_HEADER];

	frame_header(sizeof(request) - 1, header);
	if (message_send(socket, header, sizeof(header), &theirs, 1, MSG_DONTWAIT) < 0 ||
	    message_send(socket, request, sizeof(request) - 1, NULL, 0, MSG_DONTWAIT) < 0)
		return err_set(e, ERR_SYSTEM, GONE);
	return 0;
}

static int await(int pipe, struct session_call *call, struct frame *frame, struct err *e)
{
	/* In all: who sends a byte now and then gains nothing. */
	const uint64_t end_us = monotonic_us() + WAIT_MS * 1000ull;
	struct pollfd fds[] = {
		{pipe,            POLLIN, 0},
                {call->signal_fd, POLLIN, 0}
        };
	char bytes[ANSWER_MAX];
	int done = 0;

	while (!done) {
		uint64_t now_us = monotonic_us();
		size_t used;
		ssize_t n;

		int ready = now_us < end_us ? poll(fds, 2, (int)((end_us - now_us) / 1000) + 1) : 0;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return err_set(e, ERR_SYSTEM, "the checkpoint does not answer");
		if (fds[1].revents && session_call_signals(call) && call->insisted)
			return err_set(e, ERR_SYSTEM, "interrupted while the checkpoint was asked");
		n = read(pipe, bytes, sizeof(bytes));
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			return err_set(e, ERR_SYSTEM, GONE);
		done = frame_add(frame, bytes, (size_t)n, ANSWER_MAX, &used, e);
		if (done < 0)
			return err_prefix(e, "the checkpoint");
	}
	return 0;
}

int twin_ping(int socket, struct session_call *call, uint32_t *pid, struct err *e)
{
	auto_frame struct frame frame = {0};
	auto_fd int ours = -1;
	auto_fd int theirs = -1;

	if (frame_pipe(&ours, &theirs))
		return err_sys(e, "make the pipe of a checkpoint's answer");
	if (ask(socket, theirs, e))
		return -1;
	own_close(&theirs); /* so that its end is seen when the checkpoint has none either */
	if (await(ours, call, &frame, e))
		return -1;
	return read_pid(&frame.body, pid, e) ? err_prefix(e, "the checkpoint") : 0;
}
