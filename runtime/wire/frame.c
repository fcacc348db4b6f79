/*
 * frame - four bytes of length, then that many bytes.
 */
#include "wire/frame.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/message.h"

static size_t frame_take(size_t wanted, size_t length)
{
	return wanted < length ? wanted : length;
}

int frame_add(struct frame *f, const void *bytes, size_t length, size_t max, size_t *used,
	      struct err *e)
{
	const unsigned char *p = bytes;
	size_t n = frame_take(FRAME_HEADER - f->header_have, length);

	memcpy(f->header + f->header_have, p, n);
	f->header_have += n;
	*used = n;
	if (f->header_have < FRAME_HEADER)
		return 0;
	f->size = (size_t)f->header[0] | (size_t)f->header[1] << 8 | (size_t)f->header[2] << 16 |
		  (size_t)f->header[3] << 24;
	if (f->size > max)
		return err_input(e, "an answer of %zu bytes is more than the %zu allowed", f->size,
				 max);
	n = frame_take(f->size - f->body.length, length - *used);
	buf_add(&f->body, p + *used, n);
	*used += n;
	return f->body.length == f->size;
}

void frame_fini(struct frame *f)
{
	buf_fini(&f->body);
	*f = (struct frame){0};
}

void frame_header(uint32_t size, unsigned char out[FRAME_HEADER])
{
	for (int i = 0; i < FRAME_HEADER; i++)
		out[i] = (unsigned char)(size >> 8 * i);
}

int frame_pipe(int *ours, int *theirs)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	*ours = ends[0];
	*theirs = ends[1];
	return fcntl(*ours, F_SETFL, O_NONBLOCK); /* cannot fail on a new pipe */
}

int frame_ping(int socket, int theirs)
{
	static const char request[] = "{\"id\":0,\"op\":\"ping\"}";
	unsigned char frame[FRAME_HEADER + sizeof(request) - 1];

	frame_header(sizeof(request) - 1, frame);
	memcpy(frame + FRAME_HEADER, request, sizeof(request) - 1);
	return message_send(socket, frame, sizeof(frame), &theirs, 1, MSG_DONTWAIT) < 0 ? -1 : 0;
}
