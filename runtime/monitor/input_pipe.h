/*
 * input_pipe - what clients type into a program with, and the monitor reads.
 *
 * A descriptor that a client gets is one open file with that of the monitor: its flags, and what is
 * read from it, are the client's as well. So a client gets the end of a pipe that the monitor
 * neither reads nor writes, and never the master of a pty. A client can open the other end anew
 * (proc_pid_fd(5)) and read what another has typed: the monitor's end does not block then either.
 *
 * Touches the OS. Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_INPUT_PIPE_H
#define GLOVEBOX_MONITOR_INPUT_PIPE_H

#include "base/err.h"

enum { INPUT_OURS, INPUT_OF_CLIENTS };

/*
 * input_pipe - make it.
 * @ends  -1 before; owned on both paths. The monitor alone reads [INPUT_OURS], and hands out
 *        [INPUT_OF_CLIENTS].
 * Errors: ERR_SYSTEM.
 */
int input_pipe(int ends[2], struct err *e);

#endif
