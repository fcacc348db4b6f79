/*
 * typed - pass lines that the user types to the running code's standard input, one at a time.
 */
#include "repl/typed.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/own.h"

#define END_OF_INPUT 4

int typed_open(struct typed *t, int *theirs, struct err *e)
{
	int ends[2];

	*t = (struct typed){.pipe = -1};
	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "make a pipe");
	*theirs = ends[0];
	t->pipe = ends[1];
	if (!isatty(STDIN_FILENO)) {
		own_close(&t->pipe);
		return 0;
	}
	if (fcntl(t->pipe, F_SETFL, O_NONBLOCK)) {
		err_sys(e, "make a pipe");
		own_close(&t->pipe);
		own_close(theirs);
		return -1;
	}
	return 0;
}

static size_t typed_waiting(const struct typed *t)
{
	int bytes = 0;

	return t->pipe >= 0 && !ioctl(t->pipe, FIONREAD, &bytes) && bytes > 0 ? (size_t)bytes : 0;
}

bool typed_is_taken(const struct typed *t)
{
	return typed_waiting(t) == 0;
}

void typed_read(struct typed *t)
{
	ssize_t n = read(STDIN_FILENO, t->line, sizeof(t->line) - 1);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	/* Ctrl-D while the terminal did not pass lines (n_tty.c, __DISABLED_CHAR). */
	if (n > 0 && (t->line[0] == END_OF_INPUT || !t->line[0]))
		n = 0;
	t->length = n > 0 ? (size_t)n : 0;
	/* The code may have ended meanwhile, or have closed its end. */
	t->refused = n > 0 && write(t->pipe, t->line, t->length) != n;
	if (n <= 0 || t->refused) /* Ctrl-D, or the terminal is gone */
		own_close(&t->pipe);
}

const char *typed_close(struct typed *t)
{
	/* As a whole: how much of a line the code has read is unknown. */
	bool whole = t->length && (t->refused || typed_waiting(t) >= t->length);

	own_close(&t->pipe);
	t->line[t->length] = '\0';
	return whole ? t->line : NULL;
}
