/*
 * exec - start a program in a sandbox that stays, and relay its streams: the client's side.
 *
 * The streams go from the program to the client, past the monitor: a client that does not read
 * stalls its own program and nobody else.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_EXEC_H
#define GLOVEBOX_MONITOR_EXEC_H

#include "record/record.h"
#include "sandbox/door.h"
#include "sandbox/watch.h"

struct exec;

/*
 * exec_start - ask the monitor for a program.
 *
 * @wish  copied into the request; a pty gets the size of standard input's.
 * @io    copied; its descriptors outlive the program. Its input may be a terminal, which is made
 * raw with wish->tty.
 * @out   end with exec_end().
 * Errors: ERR_GONE: the sandbox has ended. ERR_INPUT: the monitor refuses the wish.
 */
int exec_start(const struct record *r, const struct door_wish *wish, const struct run_io *io,
	       struct exec **out, struct err *e);

/*
 * The same with mover (runtime/mover): wish->argv are its words.
 * @layers  its input are the layers of the root: ERR_UNSUPPORTED if that cannot be changed.
 */
int exec_start_mover(const struct record *r, const struct door_wish *wish, bool layers,
		     const struct run_io *io, struct exec **out, struct err *e);

/*
 * exec_keep - start a program whose streams the monitor keeps (monitor/programs.h), and wait until
 * it has been executed.
 *
 * @log_bytes  of its output to keep.
 * @number     out: NAME/NUMBER is the program's name from then on.
 * Errors: as of exec_start() and exec_end(); ERR_LIMIT: the sandbox keeps as much as it may.
 */
int exec_keep(const struct record *r, const struct door_wish *wish, uint64_t log_bytes,
	      uint32_t *number, struct err *e);

/* An operation (loop/loop.h): over when the program has ended and what it printed is relayed. */
struct loop *exec_loop(struct exec *x);
bool exec_step(struct exec *x);

/* Whether it has been executed, or has failed. */
bool exec_has_started(const struct exec *x);

/* A signal of the caller's: SIGWINCH resizes its pty, any other goes to its process group. */
void exec_signal(struct exec *x, int number);

/*
 * exec_end - release it; a program that runs goes on without streams.
 *
 * @status  out: its wait status, if it has ended; SIGPIPE if the reader of its output has.
 * Errors: ERR_NOT_FOUND, ERR_DENIED: it could not be executed. ERR_GONE: the sandbox has ended
 * before it.
 */
int exec_end(struct exec *x, int *status, struct err *e);

#endif
