/*
 * streams - the three streams of a program, and its terminal: drive them together.
 */
#include "sandbox/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/own.h"
#include "host/omit.h"

static void streams_start_output(struct streams *s, int i, int from)
{
	stream_init_sink(&s->out[i], from, &s->io.out[i],
			 host_omits("output") ? UINT64_MAX : s->limit);
	s->out[i].own_from = true;
}

static void streams_start_input(struct streams *s, int to)
{
	stream_init(&s->in, to >= 0 ? s->io.in : -1, to);
	s->in.own_to = true;
}

void streams_begin(struct streams *s, const struct run_io *io, bool interactive, uint64_t limit)
{
	*s = (struct streams){.io = *io, .interactive = interactive, .limit = limit};
	terminal_begin(&s->terminal);
	streams_start_input(s, -1);
	streams_start_output(s, 0, -1);
	streams_start_output(s, 1, -1);
}

void streams_take(struct streams *s, int *input, int output[2])
{
	streams_start_input(s, take_fd(input));
	for (int i = 0; i < 2; i++)
		streams_start_output(s, i, take_fd(&output[i]));
}

void streams_take_pty(struct streams *s, int fd)
{
	/* Only our end: the program owns the other, and may not read its input. */
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	terminal_open(&s->terminal, s->io.in, fd);
	streams_start_output(s, 0, fcntl(fd, F_DUPFD_CLOEXEC, 3));
	if (s->interactive)
		streams_start_input(s, fd);
	else
		close(fd);
}

bool streams_have_pty(const struct streams *s)
{
	return s->terminal.master >= 0;
}

void streams_poll(const struct streams *s, struct pollfd slots[STREAMS_SLOTS])
{
	stream_poll(&s->in, slots + STREAMS_IN);
	stream_poll(&s->out[0], slots + STREAMS_OUT);
	stream_poll(&s->out[1], slots + STREAMS_OUT + 2);
}

void streams_pump(struct streams *s, const struct pollfd slots[STREAMS_SLOTS])
{
	stream_pump(&s->in, slots + STREAMS_IN);
	stream_pump(&s->out[0], slots + STREAMS_OUT);
	stream_pump(&s->out[1], slots + STREAMS_OUT + 2);
}

void streams_end_input(struct streams *s)
{
	stream_fini(&s->in);
}

bool streams_are_done(const struct streams *s, bool late)
{
	for (int i = 0; i < 2; i++) {
		const struct stream *out = &s->out[i];

		if (!stream_is_done(out) && !(late && stream_is_stuck(out)))
			return false;
	}
	return true;
}

bool streams_have_pending(const struct streams *s)
{
	return stream_has_pending(&s->out[0]) || stream_has_pending(&s->out[1]);
}

bool streams_have_no_reader(const struct streams *s, bool ended, int *error)
{
	const struct stream *out = s->out;
	bool nobody = ended ? out[0].lost || out[1].lost : out[0].reader_gone || out[1].reader_gone;

	*error = stream_error(&out[0]);
	if (!*error)
		*error = stream_error(&out[1]);
	return nobody;
}

void streams_abandon(struct streams *s)
{
	stream_fini(&s->out[0]);
	stream_fini(&s->out[1]);
}

void streams_end(struct streams *s, bool truncated[2])
{
	for (int i = 0; i < 2; i++)
		truncated[i] = s->out[i].truncated || stream_is_stuck(&s->out[i]);
	streams_abandon(s);
	streams_end_input(s);
	terminal_close(&s->terminal);
}
