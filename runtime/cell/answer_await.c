/*
 * answer_await - wait for the warm supervisor, but not for one that is stopped or stuck.
 */
#include "cell/answer_await.h"

#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "base/own.h"
#include "cell/runtime_dir.h"

#define SILENCE_MS 2000
#define ALIVE_MS   3000

bool answer_has_come(int socket, uint64_t max_ms)
{
	const uint64_t end_us = monotonic_us() + max_ms * 1000;
	struct pollfd fd = {socket, POLLIN, 0};
	int ready;

	do {
		uint64_t now_us = monotonic_us();

		ready = poll(&fd, 1, now_us < end_us ? (int)((end_us - now_us + 999) / 1000) : 0);
	} while (ready < 0 && errno == EINTR);
	return ready > 0;
}

static bool is_alive(void)
{
	static const char request[] = "{\"op\":\"alive\"}";
	auto_fd int socket = -1;
	struct err ignored;

	return !runtime_dir_connect(&socket, &ignored) &&
	       !wire_send(socket, request, sizeof(request) - 1, NULL, 0, &ignored) &&
	       answer_has_come(socket, ALIVE_MS);
}

int answer_await(int socket, uint64_t max_ms, struct wire_message *out, struct err *e)
{
	const uint64_t end_us = monotonic_us() + max_ms * 1000;
	int got;

	while (!answer_has_come(socket, SILENCE_MS)) {
		if (monotonic_us() >= end_us || !is_alive())
			return err_set(e, ERR_SYSTEM,
				       "the warm supervisor does not answer: is it stopped?");
	}
	got = wire_receive(socket, out, e);
	return got > 0 ? 0 : got ? -1 : err_set(e, ERR_SYSTEM, "the warm supervisor hung up");
}
