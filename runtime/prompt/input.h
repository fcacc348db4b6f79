/*
 * input - read standard input until a signal comes.
 *
 * Touches the OS: reads stdin. Runs: faces with a prompt.
 */
#ifndef GLOVEBOX_PROMPT_INPUT_H
#define GLOVEBOX_PROMPT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct input {
	int signal_fd;               /* borrowed: signalfd(2), non-blocking */
	int signal;                  /* the signal that ended a read; 0 */
	bool resized;                /* the window's size has changed */
	char *pushed;                /* read before other input; owned; NULL */
	unsigned char waiting[4096]; /* read ahead by input_next() */
	size_t start, end;
};

struct input input_open(int signal_fd);
void input_close(struct input *in);

/* Push text as if typed before all other input. Copied. */
void input_push(struct input *in, const char *text);

/* Whether typed input is waiting. */
bool input_is_ready(const struct input *in);

/*
 * input_read, input_next - read one byte of a terminal; of other input, which is read ahead.
 * Returns 1; 0: end of input; -1: errno is EINTR if a signal came, in->signal.
 */
int input_read(struct input *in, unsigned char *out);
int input_next(struct input *in, unsigned char *out);

#endif
