/*
 * program_ask - the further programs of a sandbox that stays, as a client names and asks for them:
 * NAME/NUMBER.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_PROGRAM_ASK_H
#define GLOVEBOX_MONITOR_PROGRAM_ASK_H

#include "monitor/messages.h"
#include "record/record.h"

/*
 * program_find - record_find() of a word that may name a program.
 *
 * @number  out: of the program, whether there is one or not; 0: the word has none.
 * Errors: as record_find(); ERR_NOT_FOUND: what follows the "/" is not a number.
 */
int program_find(const char *word, struct record *out, uint32_t *number, struct err *e);

/*
 * program_log - open the directory of a program's log (record/log.h). Owned.
 * Errors: ERR_NOT_FOUND: no output of it is kept.
 */
int program_log(const struct record *r, uint32_t number, struct err *e);

/*
 * program_attach - open a connection to the monitor that is for a program.
 *
 * @out  whether it has ended, and how.
 * Returns an owned descriptor, or -1. Errors: ERR_GONE: the sandbox does not run. ERR_NOT_FOUND.
 */
int program_attach(const struct record *r, uint32_t number, struct monitor_answer *out,
		   struct err *e);

/*
 * program_await_end - wait for its end.
 * @exit_code  out: as `exec` would exit.
 * Errors: as of program_attach(); ERR_GONE: the sandbox has ended before it.
 */
int program_await_end(const struct record *r, uint32_t number, int *exit_code, struct err *e);

/*
 * program_signal - send a signal to the program alone; after SIGKILL, wait for its end.
 * Errors: as of program_attach(); ERR_GONE: it has ended.
 */
int program_signal(const struct record *r, uint32_t number, int signal, struct err *e);

/* Call for each, the oldest first; @entry is valid during the call. Errors: as of ask_once(); it
 * waits 1 s. */
int program_each(const struct record *r,
		 void (*tell)(void *context, const struct program_entry *entry), void *context,
		 struct err *e);

#endif
