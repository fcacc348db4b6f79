/*
 * terminal - the caller's terminal while the program has a pty of its own.
 *
 * Ours becomes raw, so that every key reaches the program, and is restored on every path. The pty
 * itself was made inside the sandbox.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_TERMINAL_H
#define GLOVEBOX_HOST_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

struct terminal {
	int own;    /* the caller's terminal, borrowed; -1 */
	int master; /* our copy of the pty's master, owned; -1 */
	bool raw;
	struct termios saved;
};

/* No terminal: nothing owned. */
void terminal_begin(struct terminal *t);

/* Copy the pty's master (borrowed), and make our own terminal raw, if @own is one. */
void terminal_open(struct terminal *t, int own, int master);

/* Pass our window's size on to the pty. */
void terminal_resize(const struct terminal *t);

/* The window of standard input, or 24x80. */
void terminal_size(uint16_t *rows, uint16_t *columns);

/* Restore our own terminal, and close the master. */
void terminal_close(struct terminal *t);

#endif
