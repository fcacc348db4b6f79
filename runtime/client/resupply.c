/*
 * resupply - replace a warm supervisor that may be lost, while others are served.
 */
#include "client/resupply.h"

#include <string.h>

#include "base/own.h"
#include "loop/clock.h"

static void resupply_end(struct resupply *r, bool is_another, const struct err *why)
{
	resupply_stop(r);
	r->done(r->context, is_another, why);
}

static void resupply_have_another(struct resupply *r)
{
	resupply_end(r, true, r->words.kind != ERR_NONE ? &r->words : NULL);
}

static void resupply_start_own(struct resupply *r)
{
	struct err e;

	if (supplier_restart(r->supplier, hub_endings(r->hub), &e))
		resupply_end(r, false, &e);
	else
		resupply_have_another(r);
}

/* -- questions ------------------------------------------------------------------------------- */

static bool resupply_step(void *operation)
{
	return ask_step(operation);
}

/* A stopped supervisor takes 5 s to time out, so ask asynchronously. */
static void resupply_ask(struct resupply *r, const char *where, void (*answered)(void *context))
{
	struct err e;

	r->ask = ask_start(where, -1, OP_STATUS, NULL, NULL, 0);
	r->question = (struct hub_operation){
		.step = resupply_step, .operation = r->ask, .done = answered, .context = r};
	if (hub_drive(r->hub, &r->question, ask_loop(r->ask), &e))
		resupply_end(r, false, &e);
}

static bool resupply_is_there(struct resupply *r, bool is_any)
{
	struct op_answer answer;
	struct err ignored;
	bool fits;

	if (ask_end(take_ptr(&r->ask), NULL, &answer, &ignored))
		return false;
	fits = is_any || supplier_suits(r->supplier, &answer.status);
	op_answer_fini(&answer);
	return fits;
}

static void resupply_users_answered(void *context)
{
	struct resupply *r = context;

	if (!resupply_is_there(r, false)) {
		resupply_start_own(r);
	} else if (r->supplier->own) {
		supplier_take_users(r->supplier, hub_endings(r->hub));
		resupply_have_another(r);
	} else {
		resupply_end(r, false, NULL);
	}
}

/* -- the one there is ------------------------------------------------------------------------ */

static void resupply_leave(struct resupply *r)
{
	hub_unwatch(r->hub, &r->ended);
	hub_silence(r->hub, &r->next);
	supplier_last_words(r->supplier, &r->words);
	resupply_ask(r, NULL, resupply_users_answered);
}

static void resupply_ended(void *context, uint32_t events)
{
	(void)events;
	resupply_leave(context);
}

static void resupply_said_enough(void *context)
{
	resupply_leave(context);
}

static void resupply_own_answered(void *context)
{
	struct resupply *r = context;
	struct err ignored;

	if (resupply_is_there(r, true)) {
		resupply_end(r, false, NULL);
		return;
	}
	if (hub_watch(r->hub, &r->ended, r->supplier->pipe, 0, &ignored)) {
		resupply_leave(r);
		return;
	}
	r->next.ring = resupply_said_enough;
	hub_ring(r->hub, &r->next, monotonic_us() + SUPPLIER_LAST_WORDS_MS * 1000);
}

static void resupply_look(void *context)
{
	struct resupply *r = context;
	const struct supplier *w = r->supplier;

	r->words = (struct err){0};
	if (w->own && !supplier_has_ended(w))
		resupply_ask(r, supplier_where(w), resupply_own_answered);
	else if (w->own)
		resupply_leave(r);
	else if (r->leaves_users)
		resupply_start_own(r);
	else
		resupply_ask(r, NULL, resupply_users_answered);
}

void resupply_init(struct resupply *r, struct hub *hub, struct supplier *supplier,
		   bool leaves_users,
		   void (*done)(void *context, bool is_another, const struct err *why),
		   void *context)
{
	*r = (struct resupply){.hub = hub,
			       .supplier = supplier,
			       .leaves_users = leaves_users,
			       .done = done,
			       .context = context};
	r->ended = (struct hub_watch){.ready = resupply_ended, .context = r, .fd = -1};
	r->next = (struct hub_timer){.context = r};
}

void resupply_start(struct resupply *r)
{
	r->next.ring = resupply_look;
	hub_ring(r->hub, &r->next, 0);
}

void resupply_stop(struct resupply *r)
{
	if (!r->hub)
		return;
	hub_silence(r->hub, &r->next);
	hub_unwatch(r->hub, &r->ended);
	hub_drop(&r->question);
	ask_abandon(take_ptr(&r->ask));
}
