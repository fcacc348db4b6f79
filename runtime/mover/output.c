/*
 * output - the tar stream on descriptor 1.
 */
#include "mover/output.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>

#include "inside/sys.h"
#include "mover/note.h"
#include "mover/tar.h"

#define SEND_LEAST (32 * 1024)  /* smaller files go with their headers */
#define SEND_MOST  0x40000000LL /* at once */

static unsigned char output_bytes[64 * 1024];
static size_t output_size;
static bool output_copies; /* the kernel does not send files to this descriptor */

/* A pipe of somebody else's may not block. */
static void output_wait(long error)
{
	struct pollfd ready = {.fd = 1, .events = POLLOUT};

	if (error == -EINTR)
		return;
	if (error == -EAGAIN) {
		(void)sys5(__NR_ppoll, &ready, 1, NULL, NULL, 0);
		return;
	}
	note_failure("write", "the stream", error);
	sys_exit(note_end());
}

void output_flush(void)
{
	size_t done = 0;

	while (done < output_size) {
		long n = sys_write(1, output_bytes + done, output_size - done);

		if (n < 0)
			output_wait(n);
		else
			done += (size_t)n;
	}
	output_size = 0;
}

unsigned char *output_room(size_t size)
{
	if (sizeof(output_bytes) - output_size < size)
		output_flush();
	return output_bytes + output_size;
}

void output_used(size_t size)
{
	output_size += size;
}

static void output_zeros(long long size)
{
	while (size > 0) {
		size_t n = size < TAR_BLOCK ? (size_t)size : TAR_BLOCK;
		unsigned char *room = output_room(n);

		for (size_t i = 0; i < n; i++)
			room[i] = 0;
		output_used(n);
		size -= (long long)n;
	}
}

/* Both return how many bytes are left. */
static long long output_copy(int fd, long long left, long *error)
{
	while (left > 0) {
		size_t most = sizeof(output_bytes) - output_size;
		long n;

		if (!most) {
			output_flush();
			continue;
		}
		if ((long long)most > left)
			most = (size_t)left;
		n = sys_read(fd, output_bytes + output_size, most);
		if (n == -EINTR)
			continue;
		if (n < 0)
			*error = n;
		if (n <= 0)
			break;
		output_used((size_t)n);
		left -= n;
	}
	return left;
}

/* From the kernel's cache into a pipe or a socket, without a copy here. */
static long long output_send(int fd, long long left, long *error)
{
	output_flush();
	while (left > 0) {
		long n = sys4(__NR_sendfile, 1, fd, NULL, left < SEND_MOST ? left : SEND_MOST);

		if (n == -EAGAIN || n == -EPIPE || n == -EINTR) {
			output_wait(n);
			continue;
		}
		output_copies = n < 0;
		if (n < 0)
			return output_copy(fd, left, error);
		if (!n)
			break;
		left -= n;
	}
	return left;
}

long long output_data(int fd, long long size, long *error)
{
	*error = 0;
	return size < SEND_LEAST || output_copies ? output_copy(fd, size, error)
						  : output_send(fd, size, error);
}

long long output_file(int fd, long long size, long *error)
{
	long long left = output_data(fd, size, error);

	output_zeros(left);
	output_zeros((TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK);
	return left;
}

void output_end(void)
{
	output_zeros(2LL * TAR_BLOCK);
	output_flush();
}
