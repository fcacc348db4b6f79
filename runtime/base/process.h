/*
 * process - what belongs to the process as a whole: its signals, its priority and its children.
 *
 * Only a face, which owns the process, touches signals, locale and priority; nothing below it does.
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
 * process_signals - block the signals that end a command; they are read from a descriptor.
 *
 * Call it before any child is made. Signals that the caller ignores stay ignored. SIGPIPE becomes
 * ignored, SIGCHLD default. SIGALRM only ends a blocking system call.
 * @out_fd  non-blocking, owned by the caller.
 */
int process_signals(int *out_fd, struct err *e);

/*
 * process_signals_of_run - the same for a process that watches a program.
 * @forward  with the signals that the program may have a use for: it is passed all of them.
 * Orders arrive as well: process_signal_of() says what has come.
 */
int process_signals_of_run(bool forward, int *out_fd, struct err *e);

/*
 * An order of one process of the user's to another that watches a program: a signal for that
 * program, by its number, or one of these. It is queued with SIGRTMIN (sigqueue(3)), so that none
 * is lost.
 */
#define PROCESS_STOP        0  /* have it end as its spec says */
#define PROCESS_STOP_SIGNAL 65 /* send it the signal by which its spec has it end */

/* @pidfd  of the other process. Returns 0, or -1 with errno. */
int process_order(int pidfd, int order);

/* The number of the signal that has come; PROCESS_ORDERED and more: what was ordered. */
#define PROCESS_ORDERED 1000
int process_signal_of(const struct signalfd_siginfo *info);

/* Send a signal to a process. Returns 0, or -1 with errno. */
int process_send(int pidfd, int number);

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
