/*
 * hello - what an interpreter says unasked when it is there.
 */
#include "cell/hello.h"

#include <poll.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/message.h"
#include "cell/frame.h"

#define WAIT_MS   20000
#define HELLO_MAX 1024

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

int hello_await(int socket, const char *who, uint32_t *pid, struct err *e)
{
	const uint64_t end_us = monotonic_us() + WAIT_MS * 1000ull;
	struct pollfd fd = {socket, POLLIN, 0};
	auto_frame struct frame frame = {0};
	struct message_extra extra;
	char bytes[HELLO_MAX];
	size_t used;
	int done = 0;

	while (!done) {
		/* No byte of the next frame: who sends it may be somebody else. */
		size_t want = frame.header_have < FRAME_HEADER ? FRAME_HEADER - frame.header_have
							       : frame.size - frame.body.length;
		uint64_t now_us = monotonic_us();
		ssize_t n;

		/* In all: who sends a byte now and then gains nothing. */
		if (now_us >= end_us || poll(&fd, 1, (int)((end_us - now_us) / 1000)) <= 0)
			return err_set(e, ERR_SYSTEM, "%s does not answer", who);
		n = message_receive(socket, bytes, want < sizeof(bytes) ? want : sizeof(bytes), 0,
				    &extra);
		message_drop(&extra);
		if (n <= 0)
			return err_set(e, ERR_SYSTEM, "%s has ended (memory limit?)", who);
		done = frame_add(&frame, bytes, (size_t)n, HELLO_MAX, &used, e);
		if (done < 0)
			return err_prefix(e, "%s", who);
	}
	return read_pid(&frame.body, pid, e) ? err_prefix(e, "%s", who) : 0;
}
