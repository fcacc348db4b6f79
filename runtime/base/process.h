/*
 * process - the process-wide state: its signals, its priority and its children.
 *
 * Only a face, which owns the process, changes signals, locale and priority; lower layers do not.
 *
 * Touches the OS. Runs: faces; process_reap() anywhere outside.
 */
#ifndef GLOVEBOX_BASE_PROCESS_H
#define GLOVEBOX_BASE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * process_signals - block the signals that end a command, and read them from a descriptor.
 *
 * Call it before making a child. Signals that the caller ignores stay ignored. SIGPIPE becomes
 * ignored, SIGCHLD default. SIGALRM only interrupts a blocking system call.
 * @out_fd  non-blocking, owned by the caller.
 */
int process_signals(int *out_fd, struct err *e);

/*
 * process_signals_of_run - the same for a process that watches a program.
 * @forward  also take signals that the program may want: it receives all of them.
 * Orders arrive as well: process_signal_of() decodes them.
 */
int process_signals_of_run(bool forward, int *out_fd, struct err *e);

/*
 * An order from one process of the user to another that watches a program: a signal for that
 * program, by number, or one of these. It is queued with SIGRTMIN (sigqueue(3)), so that none is
 * lost.
 */
#define PROCESS_STOP        0  /* end the program as its spec says */
#define PROCESS_STOP_SIGNAL 65 /* send the program its stop signal */

/* Send an order. @pidfd: of the other process. Returns 0, or -1 with errno. */
int process_order(int pidfd, int order);

/* The number of a received signal; PROCESS_ORDERED and more: an order. */
#define PROCESS_ORDERED 1000
int process_signal_of(const struct signalfd_siginfo *info);

/* Send a signal to a process. Returns 0, or -1 with errno. */
int process_send(int pidfd, int number);

/* Whether SIGALRM only interrupts: then a write that may block can have a time limit. */
bool process_has_alarm(void);

/*
 * process_reap - wait for the end of a child, across signals.
 * @options  of waitpid(2).
 * Returns its status; 0: no such child (under an ignored SIGCHLD there never is one).
 */
int process_reap(pid_t pid, int options);

/* The exit code that a shell reports: the program's, or 128 and the number of the signal. */
int process_exit_code(int status);

/* The locale decides how bytes beyond ASCII are decoded: without one, use UTF-8. */
void process_choose_locale(void);

/* The normal priority, for starting programs. Undoing a caller's "nice" needs root. */
void process_normal_priority(void);

#endif
