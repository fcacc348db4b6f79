/*
 * input - read standard input until a signal comes.
 */
#include "prompt/input.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/own.h"
#include "loop/fd.h"
#include "loop/loop.h"

struct input input_open(int signal_fd)
{
	return (struct input){.signal_fd = signal_fd};
}

void input_close(struct input *in)
{
	own_free(&in->pushed);
}

void input_push(struct input *in, const char *text)
{
	char *all = own_printf("%s%s", in->pushed ? in->pushed : "", text);

	free(in->pushed);
	in->pushed = all;
}

bool input_is_ready(const struct input *in)
{
	return in->pushed || fd_is_ready(STDIN_FILENO, POLLIN);
}

static bool input_is_signalled(struct input *in)
{
	struct signalfd_siginfo info;

	while (!in->signal && read(in->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			in->resized = true;
		else
			in->signal = (int)info.ssi_signo;
	}
	return in->signal != 0;
}

static ssize_t input_read_some(struct input *in, unsigned char *out, size_t size)
{
	struct pollfd ready[] = {
		{STDIN_FILENO,  POLLIN, 0},
                {in->signal_fd, POLLIN, 0}
        };
	ssize_t n;

	in->signal = 0;
	do {
		/* libedit's own signals interrupt it, such as the one after a stopped job. */
		(void)fd_await_any(ready, 2, LOOP_NEVER);
		if (ready[1].revents && input_is_signalled(in)) {
			errno = EINTR;
			return -1;
		}
	} while (!ready[0].revents);
	do
		n = read(STDIN_FILENO, out, size);
	while (n < 0 && errno == EINTR);
	return n;
}

static unsigned char input_take_pushed(struct input *in)
{
	size_t left = strlen(in->pushed);
	unsigned char byte = (unsigned char)in->pushed[0];

	memmove(in->pushed, in->pushed + 1, left);
	if (left <= 1)
		own_free(&in->pushed);
	return byte;
}

int input_read(struct input *in, unsigned char *out)
{
	if (!in->pushed)
		return (int)input_read_some(in, out, 1);
	*out = input_take_pushed(in);
	return 1;
}

int input_next(struct input *in, unsigned char *out)
{
	if (in->start == in->end) {
		ssize_t n = input_read_some(in, in->waiting, sizeof(in->waiting));

		if (n <= 0)
			return (int)n;
		in->start = 0;
		in->end = (size_t)n;
	}
	*out = in->waiting[in->start++];
	return 1;
}
