/*
 * terminal - make the caller's terminal raw while the program has a pty of its own.
 *
 * In raw mode every key reaches the program. The mode is restored on every path. Pid 1 makes the
 * pty inside the sandbox.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_SANDBOX_TERMINAL_H
#define GLOVEBOX_SANDBOX_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

struct terminal {
	int own;    /* the caller's terminal, borrowed; -1 */
	int master; /* our copy of the pty's master, owned; -1 */
	bool raw;
	struct termios saved;
};

/* No terminal: owns nothing. */
void terminal_begin(struct terminal *t);

/* Copy the pty's master (borrowed), and make our own terminal raw, if @own is one. */
void terminal_open(struct terminal *t, int own, int master);

/* Make our own terminal raw: the pty is another process's. */
void terminal_make_raw(struct terminal *t, int own);

/* Set the size of the pty. */
void terminal_set_size(const struct terminal *t, uint16_t rows, uint16_t columns);

/* Copy our window's size to the pty. */
void terminal_resize(const struct terminal *t);

/* The window size of standard input, or 24x80. */
void terminal_size(uint16_t *rows, uint16_t *columns);

/* Restore our own terminal, and close the master. */
void terminal_close(struct terminal *t);

#endif
