/*
 * ask - a client's connection to the monitor of a sandbox that stays (monitor/messages.h).
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_ASK_H
#define GLOVEBOX_MONITOR_ASK_H

#include <time.h>

#include "monitor/messages.h"
#include "record/record.h"

/* An owned connection, which ends with the sandbox; -1: ERR_GONE: it does not run. */
int ask_connect(const struct record *r, struct err *e);

/*
 * ask_pidfd - a descriptor of the monitor's process (pidfd_open(2)), owned, or -1: ERR_GONE.
 * @pid  out: its number.
 */
int ask_pidfd(const struct record *r, pid_t *pid, struct err *e);

int ask_send(int monitor, const struct monitor_request *request, struct err *e);

/*
 * ask_receive - wait for a message.
 * @out  its texts end with the call; its lists with form_fini().
 * @m    end with wire_fini(), whatever is returned; its descriptors are the answer's.
 * Returns 1; 0 at the end of the connection; -1: *e, which may be the monitor's own refusal.
 */
int ask_receive(int monitor, struct monitor_answer *out, struct wire_message *m, struct err *e);

/*
 * ask_receive_texts - the same, with its texts.
 * @document  out: owned, or NULL, on every path; the texts are borrowed from it.
 */
int ask_receive_texts(int monitor, struct monitor_answer *out, struct wire_message *m,
		      struct json **document, struct err *e);

/* How long a message may take to come, or to go; 10 s unless this is called. 0: for ever. */
void ask_set_patience(int fd, time_t seconds);

/*
 * ask_await_end - wait for the end of the sandbox.
 * @exit_code  out: as `run` would exit.
 * Errors: ERR_GONE: it is lost, or its monitor has been killed.
 */
int ask_await_end(const struct record *r, int *exit_code, struct err *e);

/* Make a request that is answered at once, without descriptors. @out: end with form_fini(). */
int ask_once(const struct record *r, const struct monitor_request *request,
	     struct monitor_answer *out, struct err *e);

/* The same for one that takes as long as this to be done; 0: for ever. */
int ask_once_within(const struct record *r, const struct monitor_request *request, time_t seconds,
		    struct monitor_answer *out, struct err *e);

/*
 * ask_once_with - the same for a request that is written already, WIRE_MAX_TEXT at most, and has
 * descriptors; they are borrowed.
 */
int ask_once_with(const struct record *r, const struct buf *text, const int *fds, unsigned count,
		  time_t seconds, struct err *e);

#endif
