/*
 * process - what belongs to the process as a whole: its signals, its priority and its children.
 *
 * Only a face, which owns the process, touches signals, locale and priority; nothing below it does.
 *
 * Touches the OS. Runs: faces; process_reap() anywhere outside.
 */
#ifndef GLOVEBOX_BASE_PROCESS_H
#define GLOVEBOX_BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * process_signals - block the signals that end a command; they are read from a descriptor.
 *
 * Call it before any child is made. Signals that the caller ignores stay ignored. SIGPIPE becomes
 * ignored, SIGCHLD default. SIGALRM only ends a blocking system call.
 * @out_fd  non-blocking, owned by the caller.
 */
int process_signals(int *out_fd, struct err *e);

/* The same, with the signals that another program may have a use for: it is passed all of them. */
int process_signals_to_forward(int *out_fd, struct err *e);

/* Whether SIGALRM is set up that way: then a write that may block can be given a time limit. */
bool process_has_alarm(void);

/*
 * process_reap - wait for the end of a child, whatever signals come meanwhile.
 * @options  of waitpid(2).
 * Returns its status; 0 if there is no such child (where SIGCHLD is ignored nobody has any).
 */
int process_reap(pid_t pid, int options);

/* What a shell makes of a status: its exit code, or 128 and the number of the signal. */
int process_exit_code(int status);

/* The locale decides how characters beyond ASCII are read: without one, use UTF-8. */
void process_choose_locale(void);

/* The normal priority, with which programs start. Undoing a caller's "nice" needs root. */
void process_normal_priority(void);

#endif
