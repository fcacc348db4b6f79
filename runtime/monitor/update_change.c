/*
 * update_change - what a request "update" changes of a sandbox's network.
 */
#include "monitor/update_change.h"

#include <string.h>

#include "base/own.h"

static int update_change_read_ports(const struct form_list *from, struct update_ports *out,
				    struct err *e)
{
	const struct port_entry *entries = from->items;

	for (unsigned i = 0; i < from->count; i++) {
		struct egress_published *p = &out->items[out->count++];

		p->host_port = (uint16_t)entries[i].host_port;
		p->port = (uint16_t)entries[i].port;
		if (address_parse(entries[i].address, &p->address))
			return err_input(e, "\"%.50s\" is not an address", entries[i].address);
	}
	return 0;
}

static bool update_change_has(const struct update_ports *ports, const struct egress_published *p,
			      bool (*same)(const struct egress_published *a,
					   const struct egress_published *b))
{
	return egress_find_published(ports->items, ports->count, p, same) < ports->count;
}

static int update_change_add_after(struct update_change *c, const struct egress_published *p,
				   struct err *e)
{
	if (update_change_has(&c->after, p, egress_same_place))
		return err_set(e, ERR_EXISTS, "--publish: port %u is published already",
			       (unsigned)p->host_port);
	if (c->after.count == EGRESS_MAX_PUBLISHED)
		return err_input(e, "more than %d published ports", EGRESS_MAX_PUBLISHED);
	c->after.items[c->after.count++] = *p;
	return 0;
}

static int update_change_sum_up(struct update_change *c, struct err *e)
{
	for (size_t i = 0; i < c->before.count; i++) {
		if (!update_change_has(&c->less, &c->before.items[i], egress_same_published))
			c->after.items[c->after.count++] = c->before.items[i];
	}
	for (size_t i = 0; i < c->more.count; i++) {
		if (update_change_add_after(c, &c->more.items[i], e))
			return -1;
	}
	return 0;
}

static int update_change_take_sockets(struct update_change *c, struct wire_message *m,
				      struct err *e)
{
	for (size_t i = 0; i < c->more.count; i++) {
		const struct egress_published *p = &c->more.items[i];
		int fd;

		if (update_change_has(&c->before, p, egress_same_place))
			continue;
		fd = wire_take(m, c->fd_count);
		if (fd < 0)
			return err_input(e, "a socket of a published port is missing");
		c->fds[c->fd_count++] = fd;
		if (published_check(fd, p, e))
			return -1;
	}
	return 0;
}

int update_change_read(const struct egress *x, const struct monitor_request *r,
		       const struct json *document, struct wire_message *m,
		       struct update_change *out, struct err *e)
{
	const struct json *list = json_get(document, UPDATE_LIST_KEY);

	*out = (struct update_change){.publishes = r->more.count + r->less.count > 0,
				      .before.count = x->published_count};
	memcpy(out->before.items, x->published, sizeof(x->published));
	if (list && egress_from_json(list, &out->list, e))
		return -1;
	out->has_list = list != NULL;
	return update_change_read_ports(&r->more, &out->more, e) ||
			       update_change_read_ports(&r->less, &out->less, e) ||
			       update_change_sum_up(out, e) || update_change_take_sockets(out, m, e)
		       ? -1
		       : 0;
}

void update_change_fini(struct update_change *c)
{
	while (c->fd_count)
		own_close(&c->fds[--c->fd_count]);
	egress_free(&c->list);
}
