/*
 * input - the tar stream on descriptor 0.
 */
#include "mover/input.h"

#include <errno.h>
#include <poll.h>

#include "inside/sys.h"
#include "mover/note.h"
#include "mover/tar.h"

static unsigned char input_bytes[64 * 1024];
static size_t input_start;
static size_t input_end;
static bool input_over;

/* A pipe of somebody else's may not block. */
static long input_read(void)
{
	for (;;) {
		long n = sys_read(0, input_bytes + input_end, sizeof(input_bytes) - input_end);
		struct pollfd ready = {.fd = 0, .events = POLLIN};

		if (n != -EAGAIN && n != -EINTR)
			return n;
		(void)sys5(__NR_ppoll, &ready, 1, NULL, NULL, 0);
	}
}

/* Have so many bytes at input_start, at most a block; they are moved to the front if need be. */
static bool input_need(size_t size)
{
	size_t left = input_end - input_start;

	if (left >= size)
		return true;
	for (size_t i = 0; i < left; i++)
		input_bytes[i] = input_bytes[input_start + i];
	input_start = 0;
	input_end = left;
	while (!input_over && input_end < size) {
		long n = input_read();

		input_over = n <= 0;
		if (n < 0)
			note_failure("read", "the stream", n);
		if (n > 0)
			input_end += (size_t)n;
	}
	if (input_end < size)
		note_failure("the stream ends too early", NULL, 0);
	return input_end >= size;
}

const unsigned char *input_block(void)
{
	if (!input_need(TAR_BLOCK))
		return NULL;
	input_start += TAR_BLOCK;
	return input_bytes + input_start - TAR_BLOCK;
}

size_t input_some(const unsigned char **out, long long most)
{
	size_t size;

	if (most <= 0 || !input_need(1))
		return 0;
	size = input_end - input_start;
	if ((long long)size > most)
		size = (size_t)most;
	*out = input_bytes + input_start;
	input_start += size;
	return size;
}

bool input_copy(char *out, size_t size)
{
	const unsigned char *from;

	while (size) {
		size_t n = input_some(&from, (long long)size);

		if (!n)
			return false;
		for (size_t i = 0; i < n; i++)
			*out++ = (char)from[i];
		size -= n;
	}
	return true;
}

bool input_skip(long long size)
{
	const unsigned char *unused;

	while (size > 0) {
		size_t n = input_some(&unused, size);

		if (!n)
			return false;
		size -= (long long)n;
	}
	return true;
}

bool input_padding(long long size)
{
	return input_skip((TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK);
}

void input_drain(void)
{
	while (!input_over) {
		long n;

		input_start = 0;
		input_end = 0;
		n = input_read();
		input_over = n <= 0;
		if (n < 0)
			note_failure("read", "the stream", n);
	}
}
