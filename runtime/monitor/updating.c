/*
 * updating - change the limits of a sandbox that stays while it runs, and note its published ports.
 */
#include "monitor/updating.h"

#include <string.h>

#include "base/list.h"
#include "base/own.h"
#include "monitor/event.h"
#include "spec/limits_check.h"

/* The ports that a sandbox has. */
struct updating_ports {
	struct egress_published items[EGRESS_MAX_PUBLISHED];
	size_t count;
};

static struct updating_ports updating_ports_of(const struct run *run)
{
	const struct egress *x = &run_sandbox(run)->egress;
	struct updating_ports ports = {.count = x->published_count};

	memcpy(ports.items, x->published, sizeof(ports.items));
	return ports;
}

static int updating_read_ports(const struct monitor_request *r, struct updating_ports *out,
			       struct err *e)
{
	const struct port_entry *entries = r->ports.items;

	for (unsigned i = 0; i < r->ports.count; i++) {
		struct egress_published *p = &out->items[out->count++];

		p->host_port = (uint16_t)entries[i].host_port;
		p->port = (uint16_t)entries[i].port;
		if (address_parse(entries[i].address, &p->address))
			return err_input(e, "\"%.50s\" is not an address", entries[i].address);
	}
	return 0;
}

static int updating_note_ports(struct run *run, struct record_kept *record,
			       const struct updating_ports *ports, struct err *e)
{
	struct egress *x = &run_sandbox(run)->egress;

	memcpy(x->published, ports->items, sizeof(x->published));
	x->published_count = ports->count;
	return record_running(record, run_sandbox(run), record->state, e);
}

static void updating_tell_ports(struct record_kept *record, const struct updating_ports *ports)
{
	auto_buf struct buf text = {0};

	for (size_t i = 0; i < ports->count; i++) {
		const struct egress_published *p = &ports->items[i];

		buf_text(&text, i ? ", " : "");
		egress_write_endpoint(&p->address, p->host_port, &text);
		buf_printf(&text, "->%u/tcp", (unsigned)p->port);
	}
	record_tell(record, &(struct event){.action = "update", .ports = buf_string(&text)});
}

/* The published ports, in what is known of a sandbox that runs, and the flags of its next start. */
static int updating_keep(struct run *run, struct record_kept *record,
			 const struct monitor_request *r, struct err *e)
{
	const struct word *words = r->argv.items;
	const struct updating_ports before = updating_ports_of(run);
	struct updating_ports after = {.count = 0};
	auto_list struct list flags = {0};
	struct err ignored;

	for (unsigned i = 0; i < r->argv.count; i++)
		list_add(&flags, words[i].text);
	if (!r->publishes)
		return record_put_update(record->dir, &flags, &r->limits, e);
	if (!run_has_started(run))
		return err_set(e, ERR_BUSY, "the sandbox is starting");
	if (updating_read_ports(r, &after, e))
		return -1;
	if (updating_note_ports(run, record, &after, e) ||
	    record_put_update(record->dir, &flags, &r->limits, e)) {
		(void)updating_note_ports(run, record, &before, &ignored);
		return -1;
	}
	updating_tell_ports(record, &after);
	return 0;
}

int updating_do(struct run *run, struct record_kept *record, const struct monitor_request *r,
		struct err *e)
{
	const struct limits before = run_limits(run);
	struct err ignored;

	/* The deadline comes last, because it cannot be put back. */
	if (limits_check(&r->limits, e) || run_update(run, &r->limits, false, e))
		return -1;
	if (!updating_keep(run, record, r, e))
		return r->timed ? run_update(run, &r->limits, true, e) : 0;
	(void)run_update(run, &before, false, &ignored);
	return -1;
}
