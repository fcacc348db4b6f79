/*
 * updating - change limits, hosts and published ports of a sandbox that stays while it runs, and
 * keep what was changed.
 */
#include "monitor/updating.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/own.h"
#include "client/network.h"
#include "loop/clock.h"
#include "monitor/update_change.h"
#include "record/event.h"
#include "spec/limits_check.h"

/* The steps of a change, one after the other; each but UPDATE_KEEP is an order. */
enum update_step { UPDATE_LIST, UPDATE_PUBLISH, UPDATE_KEEP, UPDATE_WITHDRAW, UPDATE_STEPS };

struct update {
	int lock;             /* owned; -1: none */
	struct limits before; /* of limits */
	struct limits limits;
	bool timed;
	struct list flags; /* that its next start reads */
	struct update_change change;
	struct buf orders[UPDATE_STEPS]; /* empty: none */
	struct buf backs[UPDATE_STEPS];  /* what takes them back */
	int step;
	bool is_kept;
	struct err failed; /* it is taken back, step by step */
};

static void updating_drop(struct update *now)
{
	for (int i = 0; i < UPDATE_STEPS; i++) {
		buf_fini(&now->orders[i]);
		buf_fini(&now->backs[i]);
	}
	update_change_fini(&now->change);
	list_fini(&now->flags);
	own_close(&now->lock);
	free(now);
}

/* -- keeping it ------------------------------------------------------------------------------ */

static int updating_note_ports(const struct updating *u, const struct update_ports *ports,
			       struct err *e)
{
	struct egress *x = &run_sandbox(u->run)->egress;

	memcpy(x->published, ports->items, sizeof(x->published));
	x->published_count = ports->count;
	return record_running(u->record, run_sandbox(u->run), u->record->state, e);
}

static void updating_tell(const struct updating *u)
{
	const struct update_change *change = &u->now->change;
	auto_buf struct buf text = {0};

	network_write_arrows(change->after.items, change->after.count, &text);
	record_tell(u->record,
		    &(struct event){.action = "update",
				    .ports = change->publishes ? buf_string(&text) : NULL});
}

/* The published ports, in what is known of a sandbox that runs, and the flags of its next start. */
static int updating_keep(const struct updating *u, struct err *e)
{
	struct update *now = u->now;
	struct err ignored;

	if ((now->change.publishes && updating_note_ports(u, &now->change.after, e)) ||
	    record_put_update(u->record->dir, &now->flags, &now->limits, e)) {
		if (now->change.publishes)
			(void)updating_note_ports(u, &now->change.before, &ignored);
		return -1;
	}
	now->is_kept = true;
	updating_tell(u);
	return 0;
}

/* -- step by step ---------------------------------------------------------------------------- */

static void updating_finish(struct updating *u)
{
	struct update *now = take_ptr(&u->now);
	struct err failed = now->failed;
	struct err ignored;

	if (!now->is_kept)
		(void)run_update(u->run, &now->before, false, &ignored);
	/* The deadline comes last, because it cannot be put back. */
	else if (now->timed && run_update(u->run, &now->limits, true, &ignored))
		failed = failed.kind == ERR_NONE ? ignored : failed;
	if (now->is_kept && now->orders[UPDATE_LIST].length) {
		buf_fini(&u->list);
		u->list = now->orders[UPDATE_LIST];
		now->orders[UPDATE_LIST] = (struct buf){0};
	}
	updating_drop(now);
	u->done(u->context, failed.kind == ERR_NONE ? NULL : &failed);
}

static bool updating_turns_back(const struct update *now)
{
	return now->failed.kind != ERR_NONE && !now->is_kept;
}

/* Go on to the next order, or to the end. */
static void updating_go_on(void *context)
{
	struct updating *u = context;
	struct update *now = u->now;

	while (now->step >= 0 && now->step < UPDATE_STEPS) {
		const bool back = updating_turns_back(now);
		const struct buf *order = back ? &now->backs[now->step] : &now->orders[now->step];
		const bool publishes = !back && now->step == UPDATE_PUBLISH;

		if (order->length) {
			ordering_begin(&u->ordering, run_sandbox(u->run)->egress.control, order,
				       now->change.fds, publishes ? now->change.fd_count : 0);
			return;
		}
		if (now->step == UPDATE_KEEP && !back)
			(void)updating_keep(u, &now->failed);
		now->step += updating_turns_back(now) ? -1 : 1;
	}
	updating_finish(u);
}

/*
 * An order that was refused is taken back as well as one that was not answered: the process obeys
 * that one, too, when it goes on.
 */
static void updating_on_answer(void *context, const struct err *failure)
{
	struct updating *u = context;
	struct update *now = u->now;
	const bool back = updating_turns_back(now);

	if (back || !failure) {
		now->step += back ? -1 : 1;
	} else if (!now->is_kept) {
		now->failed = *failure;
	} else {
		/* A process that has ended listens nowhere. */
		if (failure->kind != ERR_GONE) {
			now->failed = *failure;
			(void)err_prefix(&now->failed,
					 "the rest is updated, and ports that are "
					 "withdrawn may be open until it goes on");
		}
		now->step++;
	}
	updating_go_on(u);
}

/* -- what is to be done ---------------------------------------------------------------------- */

static int updating_check(const struct updating *u, const struct update *now, struct err *e)
{
	const struct update_change *change = &now->change;

	if (!change->publishes && !change->has_list)
		return 0;
	if (!run_has_started(u->run))
		return err_set(e, ERR_BUSY, "the sandbox is starting");
	return run_sandbox(u->run)->egress.control >= 0
		       ? 0
		       : err_set(e, ERR_UNSUPPORTED,
				 "%.100s was started without a network: stop it, update it, and "
				 "start it",
				 u->record->name);
}

static void updating_write_orders(const struct updating *u, struct update *now)
{
	const struct update_change *change = &now->change;

	if (change->has_list) {
		egress_order_write_list(&change->list, &now->orders[UPDATE_LIST]);
		if (u->list.length)
			buf_add(&now->backs[UPDATE_LIST], u->list.data, u->list.length);
		else
			egress_order_write_list(&run_sandbox(u->run)->spec->egress,
						&now->backs[UPDATE_LIST]);
	}
	if (change->more.count) {
		egress_order_write_publish(change->more.items, change->more.count,
					   &now->orders[UPDATE_PUBLISH]);
		egress_order_write_withdraw(change->more.items, change->more.count,
					    &now->backs[UPDATE_PUBLISH]);
	}
	if (change->less.count)
		egress_order_write_withdraw(change->less.items, change->less.count,
					    &now->orders[UPDATE_WITHDRAW]);
}

static int updating_read(const struct updating *u, const struct monitor_request *r,
			 const struct json *document, struct wire_message *m, struct update *now,
			 struct err *e)
{
	const struct word *words = r->argv.items;

	for (unsigned i = 0; i < r->argv.count; i++)
		list_add(&now->flags, words[i].text);
	if (update_change_read(&run_sandbox(u->run)->egress, r, document, m, &now->change, e) ||
	    updating_check(u, now, e))
		return -1;
	now->lock = wire_take(m, now->change.fd_count);
	updating_write_orders(u, now);
	return limits_check(&r->limits, e) || run_update(u->run, &r->limits, false, e) ? -1 : 0;
}

int updating_begin(struct updating *u, const struct monitor_request *r, const struct json *document,
		   struct wire_message *m, struct err *e)
{
	struct update *now;

	if (u->now)
		return err_set(e, ERR_BUSY, "the sandbox is being updated");
	now = own_zeroed(1, sizeof(*now));
	*now = (struct update){
		.lock = -1, .before = run_limits(u->run), .limits = r->limits, .timed = r->timed};
	if (updating_read(u, r, document, m, now, e)) {
		updating_drop(now);
		return -1;
	}
	u->now = now;
	ordering_init(&u->ordering, u->hub, updating_on_answer, u);
	u->timer = (struct hub_timer){.ring = updating_go_on, .context = u};
	hub_ring(u->hub, &u->timer, monotonic_us());
	return 0;
}

void updating_end(struct updating *u)
{
	if (u->now) {
		hub_silence(u->hub, &u->timer);
		ordering_end(&u->ordering);
		updating_drop(take_ptr(&u->now));
	}
	buf_fini(&u->list);
}
