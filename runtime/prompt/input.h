/*
 * input - bytes of the standard input, until a signal comes.
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
	int signal;                  /* that has ended a read; 0 */
	bool resized;                /* the window's size has changed */
	char *pushed;                /* read before all else; owned; NULL */
	unsigned char waiting[4096]; /* what input_next() has read in advance */
	size_t start, end;
};

struct input input_open(int signal_fd);
void input_close(struct input *in);

/* As if it were typed, before all else that is. Copied. */
void input_push(struct input *in, const char *text);

/* Whether something has been typed already. */
bool input_is_ready(const struct input *in);

/*
 * input_read, input_next - read one byte of a terminal; of anything else, which is read in advance.
 * Returns 1; 0: the end of the input; -1: errno is EINTR if a signal came, in->signal.
 */
int input_read(struct input *in, unsigned char *out);
int input_next(struct input *in, unsigned char *out);

#endif
