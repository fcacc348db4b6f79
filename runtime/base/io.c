/*
 * io - complete reads and writes, and files read into memory with a cap.
 */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "base/parse.h"

int io_write_all(int fd, const void *bytes, size_t length)
{
	const char *p = bytes;

	while (length) {
		ssize_t n = write(fd, p, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		length -= (size_t)n;
	}
	return 0;
}

int io_read_fd(int fd, const char *name, size_t max, struct buf *out, struct err *e)
{
	size_t start = out->length;
	char size[24];
	char chunk[16384];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read %s", name);
		if (n == 0)
			return 0;
		if ((size_t)n > max - (out->length - start))
			return err_input(e, "%s is larger than %s", name, format_size(max, size));
		buf_add(out, chunk, (size_t)n);
	}
}

/*
 * Judge by fstat() before opening: opening a FIFO wakes its writer, and opening a leased file
 * waits.
 */
int io_open_to_read(int dir_fd, const char *path)
{
	auto_fd int seen = openat(dir_fd, path, O_PATH | O_CLOEXEC);
	struct stat st;
	int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY;

	if (seen < 0 || fstat(seen, &st))
		return -1;
	/* Without O_NONBLOCK a lease would make us wait up to 45 s (fcntl(2), F_SETLEASE). */
	flags |= S_ISREG(st.st_mode) ? O_NONBLOCK : 0;
	return open(fd_path(seen).text, flags);
}

int io_read_file(int dir_fd, const char *path, size_t max, struct buf *out, struct err *e)
{
	auto_fd int fd = io_open_to_read(dir_fd, path);

	if (fd < 0)
		return err_sys(e, "open %s", path);
	return io_read_fd(fd, path, max, out, e);
}

int io_put(int dir_fd, const char *path, const char *value)
{
	auto_fd int fd = openat(dir_fd, path, O_WRONLY | O_CLOEXEC);
	size_t length = strlen(value);
	ssize_t n;

	if (fd < 0)
		return -1;
	do
		n = write(fd, value, length);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)length ? 0 : -1;
}

int io_peek(int dir_fd, const char *path, char *out, size_t out_size)
{
	auto_fd int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	do
		n = read(fd, out, out_size - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -1;
	out[n] = '\0';
	if (n && out[n - 1] == '\n')
		out[n - 1] = '\0';
	return 0;
}

int io_flush_output(void)
{
	if (fflush(stdout))
		return errno;
	if (!ferror(stdout))
		return 0;
	/*
	 * stdio has lost the errno: another write repeats the error. The output is incomplete in
	 * any case.
	 */
	return write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
}

int io_finish(int status, int (*complain)(const struct err *e))
{
	const int error = io_flush_output();
	struct err e;

	if (!error)
		return status;
	if (error == EPIPE)
		return 128 + SIGPIPE;
	errno = error;
	err_sys(&e, "write to standard output");
	return complain(&e);
}

void io_fill_standard(void)
{
	int fd;

	do {
		bool is_output =
			fcntl(STDIN_FILENO, F_GETFD) >= 0 && fcntl(STDOUT_FILENO, F_GETFD) < 0;

		fd = open("/dev/null", is_output ? O_RDONLY : O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}
