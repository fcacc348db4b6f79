/*
 * io - complete reads and writes, and files read into memory with a cap.
 *
 * Touches the OS; retries EINTR; every descriptor it opens is O_CLOEXEC, except the standard ones.
 */
#ifndef GLOVEBOX_BASE_IO_H
#define GLOVEBOX_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/* Write all `length` bytes; -1 with errno. */
int io_write_all(int fd, const void *bytes, size_t length);

/*
 * io_open_to_read - open a file, or a stream that a shell passes as one (/dev/stdin, a FIFO).
 *
 * It waits for the writer of a user's FIFO. A file under another user's lease is an error (EAGAIN).
 * Returns an owned descriptor, or -1 with errno.
 */
int io_open_to_read(int dir_fd, const char *path);

/*
 * io_read_file - append the file's content to *out.
 *
 * @dir_fd, @path  as for openat; AT_FDCWD for an ordinary path.
 * @max            bytes; a larger file is ERR_INPUT ("larger than").
 */
int io_read_file(int dir_fd, const char *path, size_t max, struct buf *out, struct err *e);

/* The same from an open, borrowed descriptor; `name` is for the message. */
int io_read_fd(int fd, const char *name, size_t max, struct buf *out, struct err *e);

/* Write one short value to an existing file (cgroupfs, procfs) in one write. -1 with errno. */
int io_put(int dir_fd, const char *path, const char *value);

/* Read one short value; the result is terminated and without its newline. -1 with errno. */
int io_peek(int dir_fd, const char *path, char *out, size_t out_size);

/*
 * io_flush_output - flush stdio's standard output. Returns 0, or the errno of a failed write, now
 * or earlier (EIO if the errno is lost).
 */
int io_flush_output(void);

/*
 * io_finish - the exit status of a command after flushing its output.
 *
 * @status    of the command, if its output is complete.
 * @complain  prints an error, and returns the status for it.
 * If the reader has closed, it is the status of SIGPIPE: the command ends like a pipeline.
 */
int io_finish(int status, int (*complain)(const struct err *e));

/*
 * io_fill_standard - open /dev/null for each of 0, 1 and 2 that our caller closed.
 *
 * Call it first in main(): otherwise a file of ours would get that number, and receive printed
 * output. Children inherit these like all standard descriptors. Without a /dev/null they stay
 * closed. Writing to a standard output that was closed is still an error.
 */
void io_fill_standard(void);

#endif
