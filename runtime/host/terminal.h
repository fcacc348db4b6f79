/*
 * terminal - the caller's terminal while the program has a pty of its own.
 *
 * Ours becomes raw, so that every key reaches the program, and is put back on
 * every way out. The pty itself was made inside the sandbox.
 */
#ifndef GLOVEBOX_HOST_TERMINAL_H
#define GLOVEBOX_HOST_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

struct terminal {
	int master; /* a copy of ours of the pty's master, owned; -1 */
	bool raw;
	struct termios saved;
};

void terminal_init(struct terminal *t);

/* Take the pty's master (borrowed; copied) and make our own terminal raw if stdin is one. */
void terminal_open(struct terminal *t, int master);

/* Pass our window's size on to the pty. */
void terminal_resize(const struct terminal *t);

/* The caller's window, or 24x80. */
void terminal_size(uint16_t *rows, uint16_t *columns);

void terminal_close(struct terminal *t);

#endif
