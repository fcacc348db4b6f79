/*
 * stream - relay one byte stream without blocking the driver.
 */
#include "sandbox/stream.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "loop/clock.h"
#include "loop/fd.h"

#define PATIENCE_US 50000 /* of one write */
#define STUCK_US    2000000

/*
 * Have SIGALRM interrupt a blocking write with EINTR from now on. The signal repeats, because the
 * first may arrive just before the write.
 */
static void stream_be_patient(suseconds_t us)
{
	const struct itimerval timer = {
		{0, us},
                {0, us}
        };

	setitimer(ITIMER_REAL, &timer, NULL);
}

void stream_init(struct stream *s, int from, int to)
{
	struct stat st;

	*s = (struct stream){.from = from, .to = to, .limit = UINT64_MAX, .piece = PIPE_BUF};
	if (to < 0)
		return;
	if (!fstat(to, &st) && S_ISREG(st.st_mode))
		s->piece = STREAM_BYTES;
	else
		s->may_block = process_has_alarm();
}

void stream_init_sink(struct stream *s, int from, const struct sink *sink, uint64_t limit)
{
	stream_init(s, from, sink->fd);
	s->limit = limit;
	s->capture = sink->buffer;
	s->take = sink->take;
	s->take_context = sink->context;
}

static void stream_end_input(struct stream *s)
{
	if (s->own_from)
		own_close(&s->from);
	s->from = -1;
}

/* A server has very many streams: each allocates memory only while it waits for a reader. */
static void stream_forget_pending(struct stream *s)
{
	own_free(&s->pending);
	s->start = s->end = 0;
}

static void stream_end_output(struct stream *s)
{
	if (s->own_to)
		own_close(&s->to);
	s->to = -1;
	stream_forget_pending(s);
}

void stream_fini(struct stream *s)
{
	stream_end_input(s);
	stream_end_output(s);
}

bool stream_has_pending(const struct stream *s)
{
	return s->start < s->end;
}

bool stream_is_done(const struct stream *s)
{
	return s->from < 0 && !stream_has_pending(s);
}

bool stream_is_stuck(const struct stream *s)
{
	return stream_has_pending(s) && monotonic_us() - s->moved_us > STUCK_US;
}

void stream_discard(struct stream *s, unsigned reads)
{
	char dropped[STREAM_BYTES];
	bool any = stream_has_pending(s);

	while (s->from >= 0 && reads-- && read(s->from, dropped, sizeof(dropped)) > 0)
		any = true;
	stream_forget_pending(s);
	s->truncated |= any;
}

void stream_poll(const struct stream *s, struct pollfd fds[2])
{
	bool waiting = stream_has_pending(s);

	fds[0] = (struct pollfd){.fd = waiting ? -1 : s->from, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = waiting ? s->to : -1, .events = POLLOUT};
	/* Still watch an idle destination, because its reader may close (only POLLERR, POLLHUP). */
	if (!waiting && s->from >= 0 && s->to >= 0)
		fds[1] = (struct pollfd){.fd = s->to};
}

/* Cut `n` new bytes to the limit. */
static size_t stream_within_limit(struct stream *s, size_t n)
{
	uint64_t left = s->limit - s->passed;

	if (n > left) {
		s->truncated = true;
		n = (size_t)left;
	}
	s->passed += n;
	return n;
}

static void stream_fill(struct stream *s)
{
	auto_free char *bytes = own_resize(NULL, 1, STREAM_BYTES);
	ssize_t n = read(s->from, bytes, STREAM_BYTES);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	/* A pty reports EIO when its other side is closed. */
	if (n <= 0) {
		stream_end_input(s);
		return;
	}
	s->came += (uint64_t)n;
	n = (ssize_t)stream_within_limit(s, (size_t)n);
	if (s->capture)
		buf_add(s->capture, bytes, (size_t)n);
	if (s->take && n)
		s->take(s->take_context, bytes, (size_t)n);
	if (s->to >= 0 && n) {
		s->pending = take_ptr(&bytes);
		s->end = (size_t)n;
	}
	s->moved_us = monotonic_us();
}

/*
 * Terminals take less than they offer, and other processes may write to the same place: poll()
 * guarantees nothing.
 */
static ssize_t stream_write_some(const struct stream *s)
{
	size_t length = s->end - s->start;
	ssize_t n;

	if (s->may_block)
		stream_be_patient(PATIENCE_US);
	n = write(s->to, s->pending + s->start, length < s->piece ? length : s->piece);
	if (s->may_block) {
		int error = errno;

		stream_be_patient(0);
		errno = error;
	}
	return n;
}

static void stream_drain(struct stream *s)
{
	ssize_t n = stream_write_some(s);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) {
		s->reader_gone = s->lost = true;
		s->error = errno;
		stream_end_output(s);
		return;
	}
	s->start += (size_t)n;
	s->moved_us = monotonic_us();
	if (!stream_has_pending(s))
		stream_forget_pending(s);
}

void stream_pump(struct stream *s, const struct pollfd fds[2])
{
	if (fds[1].fd >= 0 && fds[1].revents) {
		if (stream_has_pending(s)) {
			stream_drain(s);
		} else if (fds[1].revents & (POLLERR | POLLHUP)) {
			s->reader_gone = true;
			stream_end_output(s);
		}
	}
	if (fds[0].fd >= 0 && fds[0].revents)
		stream_fill(s);
	/* Most output fits at once: relay it without another poll. */
	while (stream_has_pending(s) && fd_is_ready(s->to, POLLOUT)) {
		size_t before = s->start;

		stream_drain(s);
		if (s->start == before)
			break;
	}
	if (s->from < 0 && !stream_has_pending(s) && s->own_to)
		stream_end_output(s);
}

int stream_error(const struct stream *s)
{
	/* EIO: the terminal has hung up. */
	bool left = s->error == EPIPE || s->error == ECONNRESET || s->error == EIO;

	return s->lost && !left ? s->error : 0;
}
