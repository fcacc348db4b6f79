/*
 * update_ask - ask the monitor of a sandbox that stays to update it.
 */
#include "monitor/update_ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "monitor/ask.h"
#include "sandbox/published.h"

#define PATIENCE_S 10 /* a monitor that is stopped does not answer */
#define ORDERS_S   40 /* the same, while it waits for the answers of glovebox-egress */

/* -- sockets --------------------------------------------------------------------------------- */

static bool update_ask_takes_over(const struct port_change *change,
				  const struct egress_published *p)
{
	return egress_find_published(change->less, change->less_count, p, egress_same_place) <
	       change->less_count;
}

/* At another address of that port, which one of ours has for all of them. */
static int update_ask_refuse(const struct port_change *change, const struct egress_published *p,
			     struct err *e)
{
	for (size_t i = 0; e->kind == ERR_EXISTS && i < change->less_count; i++) {
		if (change->less[i].host_port == p->host_port)
			return err_set(e, ERR_EXISTS,
				       "--publish: port %u is in use until it is withdrawn: do it "
				       "in two, --publish-rm first",
				       (unsigned)p->host_port);
	}
	return -1;
}

/* @out: the sockets of those that take over none, in this order. */
static int update_ask_listen(struct port_change *change, struct published *out, struct err *e)
{
	for (size_t i = 0; i < change->more_count; i++) {
		struct egress_published *p = &change->more[i];

		if (!update_ask_takes_over(change, p) && published_add(out, p, e))
			return update_ask_refuse(change, p, e);
	}
	return 0;
}

/* -- the request ----------------------------------------------------------------------------- */

/* The ports of a request, which borrow their addresses. */
struct update_ask_ports {
	char addresses[EGRESS_MAX_PUBLISHED][ADDRESS_TEXT_SIZE];
	struct port_entry entries[EGRESS_MAX_PUBLISHED];
};

static struct form_list update_ask_ports(const struct egress_published *ports, size_t count,
					 struct update_ask_ports *out)
{
	for (size_t i = 0; i < count; i++) {
		address_text(&ports[i].address, out->addresses[i]);
		out->entries[i] =
			(struct port_entry){out->addresses[i], ports[i].host_port, ports[i].port};
	}
	return (struct form_list){out->entries, (unsigned)count};
}

/* Its hosts alone. */
static void update_ask_put_list(const struct egress_spec *list, struct buf *out)
{
	const struct egress_spec only = {.has_list = list->has_list,
					 .rules = list->rules,
					 .rule_count = list->rule_count,
					 .connections = list->connections};

	json_put_begin(out, UPDATE_LIST_KEY, '{');
	egress_to_json(&only, out);
	json_put_end(out, '}');
}

static int update_ask_write(const struct update_wish *w, struct buf *out, struct err *e)
{
	struct update_ask_ports more = {0};
	struct update_ask_ports less = {0};
	struct monitor_request request = {
		.op = "update",
		.argv = message_words(w->flags->items, w->flags->count),
		.limits = *w->limits,
		.timed = w->timed,
		.more = update_ask_ports(w->ports->more, w->ports->more_count, &more),
		.less = update_ask_ports(w->ports->less, w->ports->less_count, &less)};

	json_put_begin(out, NULL, '{');
	form_write_members(&monitor_request_form, &request, out);
	if (w->list)
		update_ask_put_list(w->list, out);
	json_put_end(out, '}');
	free(request.argv.items);
	return out->length > WIRE_MAX_TEXT
		       ? err_input(e, "the flags and the list of hosts are larger than %u KiB",
				   WIRE_MAX_TEXT >> 10)
		       : 0;
}

int update_ask(const struct record *r, int lock, struct update_wish *w, struct err *e)
{
	auto_buf struct buf text = {0};
	struct published made = {.count = 0};
	int fds[EGRESS_MAX_PUBLISHED + 1];
	const bool orders = w->list || w->ports->more_count + w->ports->less_count;
	int bad = update_ask_listen(w->ports, &made, e) || update_ask_write(w, &text, e);

	memcpy(fds, made.fds, made.count * sizeof(*fds));
	fds[made.count] = lock;
	bad = bad ||
	      ask_once_with(r, &text, fds, made.count + 1, orders ? ORDERS_S : PATIENCE_S, e);
	published_close(&made);
	return bad ? -1 : 0;
}
