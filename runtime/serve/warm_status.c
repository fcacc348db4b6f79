/*
 * warm_status - ask the warm supervisor for its status, on behalf of a request.
 */
#include "serve/warm_status.h"

#include <stdlib.h>

#include "base/own.h"
#include "client/ask.h"
#include "loop/clock.h"
#include "request/server.h"

#define PATIENCE_US 1000000

struct warm_question {
	struct request *request;
	void (*answered)(struct request *r, const struct status_answer *status);
	struct ask *ask;
	struct hub_operation operation;
	struct hub_timer patience;
};

static void warm_status_free(struct warm_question *q)
{
	struct request *r = q->request;

	hub_drop(&q->operation);
	hub_silence(r->server->hub, &q->patience);
	ask_abandon(q->ask);
	free(q);
	r->work = NULL;
	r->abandon = NULL;
}

static void warm_status_end(struct warm_question *q, const struct status_answer *status)
{
	struct request *r = q->request;
	void (*answered)(struct request * r, const struct status_answer *status) = q->answered;

	warm_status_free(q);
	answered(r, status);
}

static void warm_status_answered(void *context)
{
	struct warm_question *q = context;
	struct op_answer answer;
	struct err ignored;

	if (ask_end(own_take(&q->ask), NULL, &answer, &ignored)) {
		warm_status_end(q, NULL);
		return;
	}
	warm_status_end(q, &answer.status);
	op_answer_fini(&answer);
}

static void warm_status_give_up(void *context)
{
	warm_status_end(context, NULL);
}

static void warm_status_abandon(struct request *r)
{
	warm_status_free(r->work);
}

static bool warm_status_step(void *operation)
{
	return ask_step(operation);
}

void warm_status_ask(struct request *r,
		     void (*answered)(struct request *r, const struct status_answer *status))
{
	struct hub *hub = r->server->hub;
	struct warm_question *q = own_zeroed(1, sizeof(*q));
	struct err ignored;

	q->request = r;
	q->answered = answered;
	q->ask = ask_start(supplier_where(&r->server->supplier), -1, OP_STATUS, NULL, NULL, 0);
	q->operation = (struct hub_operation){.step = warm_status_step,
					      .operation = q->ask,
					      .done = warm_status_answered,
					      .context = q};
	q->patience = (struct hub_timer){.ring = warm_status_give_up, .context = q};
	r->work = q;
	r->abandon = warm_status_abandon;
	hub_ring(hub, &q->patience, monotonic_us() + PATIENCE_US);
	if (hub_drive(hub, &q->operation, ask_loop(q->ask), &ignored))
		warm_status_give_up(q);
}
