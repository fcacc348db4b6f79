/*
 * call_output - relay standard output and error of a call to its sinks.
 */
#include "session/call_output.h"

#include <sys/ioctl.h>

#include "loop/fd.h"

#define DROP_READS 2048 /* of at most 64 KiB; the largest pipe has 1 MiB */

bool call_output_has_marks(const struct sink *out)
{
	return out && out[0].display;
}

void call_output_begin(struct call_output *x, const int from[2], const struct sink *out,
		       uint32_t id, uint64_t most)
{
	static const struct sink nowhere = {.fd = -1};
	const bool has_marks = call_output_has_marks(out);
	const struct sink marked =
		has_marks ? display_marks_begin(&x->marks, id, most, out) : nowhere;

	stream_init_sink(&x->streams[0], from[0],
			 has_marks ? &marked
			 : out     ? &out[0]
				   : &nowhere,
			 has_marks ? UINT64_MAX : most);
	stream_init_sink(&x->streams[1], from[1], out ? &out[1] : &nowhere, most);
}

void call_output_poll(const struct call_output *x, struct pollfd slots[CALL_OUTPUT_SLOTS])
{
	stream_poll(&x->streams[0], &slots[0]);
	stream_poll(&x->streams[1], &slots[2]);
}

void call_output_pump(struct call_output *x, const struct pollfd slots[CALL_OUTPUT_SLOTS])
{
	stream_pump(&x->streams[0], &slots[0]);
	stream_pump(&x->streams[1], &slots[2]);
}

bool call_output_has_pending(const struct call_output *x)
{
	return stream_has_pending(&x->streams[0]) || stream_has_pending(&x->streams[1]);
}

bool call_output_is_stuck(const struct call_output *x)
{
	return stream_is_stuck(&x->streams[0]) || stream_is_stuck(&x->streams[1]);
}

void call_output_drain(struct call_output *x)
{
	for (int i = 0; i < 2; i++) {
		int unread = 0;

		if (!ioctl(x->streams[i].from, FIONREAD, &unread) && unread > 0)
			x->due[i] = x->streams[i].came + (uint64_t)unread;
	}
}

/* Hostile code can read its own pipe: bytes that it took do not arrive. */
bool call_output_has_more(const struct call_output *x)
{
	for (int i = 0; i < 2; i++) {
		if (x->streams[i].came < x->due[i] && fd_is_ready(x->streams[i].from, POLLIN))
			return true;
	}
	return false;
}

int call_output_end(struct call_output *x, bool abandoned, bool truncated[2])
{
	const int error = x->streams[0].lost ? x->streams[0].error : 0;

	for (int i = 0; i < 2; i++) {
		if (abandoned)
			stream_discard(&x->streams[i], DROP_READS);
		truncated[i] = x->streams[i].truncated;
		stream_fini(&x->streams[i]);
	}
	if (!truncated[0]) /* otherwise a mark may be cut */
		display_marks_end(&x->marks);
	truncated[0] |= x->marks.truncated;
	return error;
}
