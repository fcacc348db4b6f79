/*
 * egress_order - ask the process that serves one sandbox's network.
 *
 * Each order is one JSON message with a socket of its own for the one answer, so several processes
 * can share `control`, and one of them can give an order now and look for its answer later. Orders
 * are obeyed as they were sent, one after the other: one that is sent behind another, which was not
 * answered in time, takes that back.
 *
 * The process parses hostile bytes, so answers are bounded, typed, and awaited with a deadline.
 *
 * Touches the OS. Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_SANDBOX_EGRESS_ORDER_H
#define GLOVEBOX_SANDBOX_EGRESS_ORDER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "netpolicy/egress.h"
#include "netpolicy/egress_summary.h"

#define EGRESS_PROGRAM   "glovebox-egress"          /* in the directory of our own program */
#define EGRESS_ANSWER_MS 10000                      /* longest wait for an answer */
#define EGRESS_ORDER_FDS (EGRESS_MAX_PUBLISHED + 1) /* descriptors that an order may need */

/* An order whose answer has not come. */
struct egress_order {
	int answer;      /* owned; -1: none is awaited */
	uint64_t end_us; /* monotonic: when it is late */
};

static inline struct egress_order egress_order_none(void)
{
	return (struct egress_order){.answer = -1};
}

/*
 * egress_order_send - give an order. Never waits.
 *
 * @control  borrowed.
 * @request  a JSON object, as the functions below write it; @fds: borrowed.
 * @out      end with egress_order_end().
 * Errors: ERR_GONE: the process has ended; ERR_INPUT: it is too long; ERR_SYSTEM: the process does
 * not take it. It was not given then.
 */
int egress_order_send(int control, const struct buf *request, const int *fds, unsigned count,
		      struct egress_order *out, struct err *e);

/*
 * egress_order_look - look for the answer. Never waits; poll `answer` for input, until `end_us` at
 * most. 1: *out is owned; 0: not yet; -1: *e: the process refuses, does not answer, or has ended.
 */
int egress_order_look(const struct egress_order *o, struct json **out, struct err *e);

/* Await the answer no more; the process may obey all the same. Safe if none is awaited. */
void egress_order_end(struct egress_order *o);

/* Count its time anew: the process that is to answer begins only now. */
void egress_order_wait_from_now(struct egress_order *o);

/*
 * Write an order: to replace the list, ending connections that the new one does not allow; to
 * accept at further published ports; to close some, ending their connections.
 *
 * A port to publish brings its socket along, in this order, unless another one is published at the
 * same place: then it takes over that socket, which the other has again if it is withdrawn.
 */
void egress_order_write_list(const struct egress_spec *list, struct buf *out);
void egress_order_write_publish(const struct egress_published *ports, size_t count,
				struct buf *out);
void egress_order_write_withdraw(const struct egress_published *ports, size_t count,
				 struct buf *out);

/*
 * egress_replace - replace the list of a running sandbox, and wait until it is done.
 * @control  borrowed.
 * Errors: ERR_INPUT: this sandbox has no listener for a port; ERR_GONE: the process has ended.
 */
int egress_replace(int control, const struct egress_spec *spec, struct err *e);

/*
 * egress_show - read the current list of a running sandbox.
 * @control  borrowed.
 * @out      on success end with egress_free().
 * Errors: ERR_UNSUPPORTED: it has no list; ERR_GONE: the process has ended.
 */
int egress_show(int control, struct egress_spec *out, struct err *e);

/*
 * egress_summarize - read the counters of its connections.
 * @control  borrowed.
 * @out      on success end with egress_summary_fini(). ERR_GONE: the process has ended.
 */
int egress_summarize(int control, struct egress_summary *out, struct err *e);

#endif
