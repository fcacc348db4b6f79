/*
 * egress - the rules of a list and the ports that are published.
 */
#include "netpolicy/egress.h"

#include <string.h>

#include "base/own.h"

/* Whatever the list says, a session listens on all, and what stays on two: none is made later. */
static const uint16_t fixed_ports[] = {80, 443, 8080, 8443};

static const char *const kinds[] = {
	[EGRESS_TLS] = "tls",
	[EGRESS_HTTP] = "http",
	[EGRESS_RAW] = "raw",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* -- ports ------------------------------------------------------------------------------------ */

/* Insert a port in ascending order. Returns the new count. */
static size_t egress_insert_port(uint16_t *ports, size_t count, uint16_t port)
{
	size_t at = 0;

	while (at < count && ports[at] < port)
		at++;
	if (count == EGRESS_MAX_PORTS || (at < count && ports[at] == port))
		return count;
	memmove(ports + at + 1, ports + at, (count - at) * sizeof(*ports));
	ports[at] = port;
	return count + 1;
}

size_t egress_fixed_ports(const struct egress_spec *s)
{
	return s->is_session ? COUNT(fixed_ports) : s->stays ? 2 : 0;
}

static bool egress_publishes(const struct egress_spec *s, uint16_t port)
{
	for (size_t i = 0; i < s->published_count; i++) {
		if (s->published[i].port == port)
			return true;
	}
	return false;
}

size_t egress_ports(const struct egress_spec *s, uint16_t out[EGRESS_MAX_PORTS])
{
	size_t count = 0;

	for (size_t i = 0; s->has_list && i < egress_fixed_ports(s); i++) {
		if (s->is_session || !egress_publishes(s, fixed_ports[i]))
			count = egress_insert_port(out, count, fixed_ports[i]);
	}
	for (size_t i = 0; s->has_list && i < s->rule_count; i++)
		count = egress_insert_port(out, count, s->rules[i].port);
	return count;
}

/* -- adding ----------------------------------------------------------------------------------- */

bool egress_same_host(const struct egress_rule *a, const struct egress_rule *b)
{
	if (!a->name != !b->name || a->on_host != b->on_host)
		return false;
	if (a->name)
		return !strcmp(a->name, b->name);
	return a->prefix == b->prefix && address_equal(&a->net, &b->net);
}

bool egress_same_place(const struct egress_published *a, const struct egress_published *b)
{
	return a->host_port == b->host_port && address_equal(&a->address, &b->address);
}

bool egress_same_published(const struct egress_published *a, const struct egress_published *b)
{
	return a->port == b->port && egress_same_place(a, b);
}

size_t egress_find_published(const struct egress_published *ports, size_t count,
			     const struct egress_published *p,
			     bool (*same)(const struct egress_published *a,
					  const struct egress_published *b))
{
	size_t i = 0;

	while (i < count && !same(&ports[i], p))
		i++;
	return i;
}

static int egress_refuse_kind(const struct egress_rule *there, const struct egress_rule *rule,
			      struct err *e)
{
	auto_buf struct buf host = {0};

	egress_write_host(rule, &host);
	return err_input(e, "%s:%u is there as %s and as %s", buf_string(&host), rule->port,
			 kinds[there->kind], kinds[rule->kind]);
}

int egress_add_rule(struct egress_spec *s, const struct egress_rule *rule, struct err *e)
{
	for (size_t i = 0; i < s->rule_count; i++) {
		const struct egress_rule *there = &s->rules[i];

		if (there->port != rule->port || !egress_same_host(there, rule))
			continue;
		return there->kind == rule->kind ? 0 : egress_refuse_kind(there, rule, e);
	}
	if (s->rule_count == EGRESS_MAX_RULES)
		return err_input(e, "more than %d hosts and ports, those of lists included",
				 EGRESS_MAX_RULES);
	s->rules = own_grow(s->rules, s->rule_count, sizeof(*s->rules));
	s->rules[s->rule_count++] = *rule;
	return 0;
}

int egress_add_published(struct egress_spec *s, const struct egress_published *p, struct err *e)
{
	if (s->published_count == EGRESS_MAX_PUBLISHED)
		return err_input(e, "more than %d published ports", EGRESS_MAX_PUBLISHED);
	s->published = own_grow(s->published, s->published_count, sizeof(*s->published));
	s->published[s->published_count++] = *p;
	return 0;
}

/* -- words ------------------------------------------------------------------------------------ */

const char *egress_kind_name(enum egress_kind kind)
{
	return kinds[kind];
}

int egress_kind_of(const char *name)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!strcmp(name, kinds[i]))
			return (int)i;
	}
	return -1;
}

void egress_write_host(const struct egress_rule *rule, struct buf *out)
{
	char text[ADDRESS_TEXT_SIZE];
	const bool v4 = rule->net.is_v4;

	if (rule->name) {
		buf_text(out, rule->name);
		return;
	}
	address_text(&rule->net, text);
	buf_printf(out, "%s%s", v4 ? "" : "[", text);
	if (rule->prefix < (v4 ? 32u : 128u))
		buf_printf(out, "/%u", rule->prefix);
	buf_text(out, v4 ? "" : "]");
}

void egress_write_endpoint(const struct address *address, uint16_t port, struct buf *out)
{
	char text[ADDRESS_TEXT_SIZE];

	address_text(address, text);
	buf_printf(out, address->is_v4 ? "%s:%u" : "[%s]:%u", text, port);
}
