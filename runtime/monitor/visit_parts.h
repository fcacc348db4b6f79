/*
 * visit_parts - what the files of visit.c share: a client's connection to a monitor.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_VISIT_PARTS_H
#define GLOVEBOX_MONITOR_VISIT_PARTS_H

#include "monitor/messages.h"
#include "monitor/visit.h"

struct visit {
	LIST_ENTRY(visit) entry;
	struct visits *of;
	struct hub_watch watch;
	uint32_t exec; /* its program; 0: none */
	bool mover;    /* it is one of ours, which moves files */
	bool looks;    /* its last request changes nothing */
	bool waits;    /* to be told that the program has been executed */
};

/*
 * Send an answer with descriptors, which are borrowed. A client that does not read loses it: there
 * are two at most.
 */
int visit_send(const struct visit *x, const struct monitor_answer *answer, const int *fds,
	       unsigned count);
void visit_refuse(const struct visit *x, const struct err *e);

/* @failure  NULL: it is done. */
void visit_conclude(const struct visit *x, const struct err *failure);

/* A request as it came. */
struct visit_request {
	struct monitor_request fields;
	const struct json *document;  /* borrowed; has the texts of `fields` */
	struct wire_message *message; /* borrowed; has the descriptors */
};

/* visit_change.c: serve a request whose answer comes in a later turn, and say what is wrong. */
void visit_pause(struct visit *x, enum record_state wanted);
void visit_update(struct visit *x, const struct visit_request *q);
void visit_tell_usage(const struct visit *x);

/* Visits have begun; one leaves, and what it asked for goes on. */
void visit_change_init(struct visits *v);
void visit_change_leave(const struct visit *x);

/* visit_exec.c: serve a request, whose answer says what is wrong with it. */
void visit_exec(struct visit *x, const struct monitor_request *r);
void visit_exec_keep(struct visit *x, const struct monitor_request *r);

/*
 * @number  of a further program; 0: the first.
 * @once    the first one's input ends with what this client types: nobody else gets it.
 */
void visit_exec_attach(struct visit *x, uint32_t number, bool once);
void visit_exec_list(const struct visit *x, uint64_t after);

#endif
