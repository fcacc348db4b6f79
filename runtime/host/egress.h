/*
 * egress - the process outside that serves the network of one sandbox, as its starter sees it.
 *
 * Theory of operation
 * ===================
 *
 *   we ── control (SOCK_SEQPACKET) ── glovebox-egress ── inner (SOCK_SEQPACKET) ── the step
 * "egress"
 *
 * It is executed in the control group of the sandbox, with these descriptors and no other, gets its
 * orders over `control`, and takes the sockets of the sandbox's network over the other pair
 * (inside/egress.h). It reads what strangers send on both sides, so what it says is data: bounded,
 * typed, and never waited for without an end. It ends when the last copy of our end of `control` is
 * closed; a session's supervisor keeps one.
 *
 * Each request is one message of JSON with a socket of its own for the one answer, so requests of
 * several who share `control` never mix.
 *
 * Touches the OS. Runs: monitor, client. Needs: to fork; as root, to exchange ids.
 */
#ifndef GLOVEBOX_HOST_EGRESS_H
#define GLOVEBOX_HOST_EGRESS_H

#include <sys/types.h>

#include "base/err.h"
#include "base/json.h"
#include "host/cgroup.h"
#include "spec/egress.h"
#include "spec/egress_summary.h"

#define EGRESS_PROGRAM   "glovebox-egress" /* beside us */
#define EGRESS_ANSWER_MS 10000             /* longest wait for an answer */

enum egress_life {
	EGRESS_WITH_US, /* it is killed when we die */
	EGRESS_APART,   /* no child of ours; it lives as long as a copy of `control` */
};

struct egress {
	int control;     /* owned; -1: this sandbox has no network */
	int inner;       /* owned; for the plan: egress_fd */
	int answer;      /* owned; the answer to "begin"; -1 once it has come */
	uint64_t end_us; /* until when it is waited for */
	int ends[2];     /* owned; its ends of `control` and `inner` until it is executed */
	char *program;   /* owned */
	enum egress_life life;
	pid_t pid; /* a child of ours, to be reaped; 0: it belongs to nobody */
	struct egress_published published[EGRESS_MAX_PUBLISHED]; /* as they are listened on */
	size_t published_count;
};

static inline struct egress egress_none(void)
{
	return (struct egress){
		.control = -1, .inner = -1, .answer = -1, .ends = {-1, -1}
        };
}

/*
 * egress_prepare - make its sockets and tell it what to do; egress_start() executes it.
 *
 * @program  its path.
 * @id       of the sandbox, for its log.
 * @out      on success end with egress_end().
 * Errors: ERR_UNSUPPORTED: it is not installed; those of the log's file (--egress-log).
 */
int egress_prepare(const char *program, const struct egress_spec *spec, const char *id,
		   enum egress_life life, struct egress *out, struct err *e);

/*
 * egress_start - execute it; its answer is not waited for. Nothing is done when it is executed
 * already, and on egress_none().
 *
 * @group  of its sandbox: what it takes is the sandbox's.
 * Errors: ERR_UNSUPPORTED: this process may not put it into the group.
 */
int egress_start(struct egress *x, const struct cgroup *group, struct err *e);

/*
 * egress_look - whether it has begun: its published ports are listened on. Never waits; wait for
 * `answer` to be readable, until `end_us` at most.
 * 1: it has; 0: not yet; -1: *e, its own: ERR_EXISTS for a port in use.
 */
int egress_look(struct egress *x, struct err *e);

/* The same, waiting. 0 or -1. */
int egress_await(struct egress *x, struct err *e);

/*
 * egress_end - close everything. A child of ours ends its connections and its log, and is waited
 * for (at most 2 s, then it is killed). Safe on egress_none(), and when called twice.
 */
void egress_end(struct egress *x);

/*
 * egress_replace - replace the list of a running sandbox; connections that it no longer allows end.
 * @control  borrowed.
 * Errors: ERR_INPUT: a port on which this sandbox does not listen; ERR_GONE: the process has ended.
 */
int egress_replace(int control, const struct egress_spec *spec, struct err *e);

/*
 * egress_show - ask for the list that a running sandbox has now.
 * @control  borrowed.
 * @out      on success end with egress_free().
 * Errors: ERR_UNSUPPORTED: it has none; ERR_GONE: the process has ended.
 */
int egress_show(int control, struct egress_spec *out, struct err *e);

/*
 * egress_summarize - ask what became of its connections so far.
 * @control  borrowed.
 * @out      on success end with egress_summary_fini(). ERR_GONE: the process has ended.
 */
int egress_summarize(int control, struct egress_summary *out, struct err *e);

#endif
