/*
 * egress_finish - check the network of a spec.
 */
#include "spec/egress_finish.h"

#include <string.h>

#include "netpolicy/egress_host.h"
#include "netpolicy/egress_preset.h"
#include "spec/ca.h"

#define PRIVATE_HOSTS "private.hosts" /* a list cannot have this name */

/* -- private addresses ------------------------------------------------------------------------ */

/* Mark the rules of one --allow-private host. Returns -1 if the text is not a host name. */
static int egress_finish_allow(struct egress_spec *s, const char *asked, struct err *e)
{
	struct egress_entry entry;
	struct egress_rule wanted;
	int found = 0;

	if (egress_host_parse(asked, &entry, e))
		return -1;
	wanted = egress_entry_rule(&entry, entry.name[0] ? entry.name : NULL, 0);
	for (size_t i = 0; i < s->rule_count; i++) {
		if (!egress_same_host(&s->rules[i], &wanted))
			continue;
		s->rules[i].allow_private = true;
		found = 1;
	}
	return found;
}

static int egress_finish_mark(struct egress_spec *s, const char *asked, struct err *e)
{
	int found = egress_finish_allow(s, asked, e);

	if (found < 0)
		return err_prefix(e, "--allow-private");
	if (!found && egress_preset_is_there(asked))
		return err_input(e, "--allow-private: %.64s is a list: name its hosts", asked);
	return found ? 0 : err_input(e, "--allow-private: %.200s is not in --egress", asked);
}

static int egress_finish_mark_lines(struct egress_spec *s, char *text, struct err *e)
{
	unsigned number = 0;
	char *line;

	while ((line = egress_preset_line(&text, &number))) {
		if (egress_finish_allow(s, line, e) < 0)
			return -1;
	}
	return 0;
}

/*
 * A name in the machine's private.hosts may be private in every list; a list need not contain it.
 */
static int egress_finish_mark_file(struct egress_spec *s, struct err *e)
{
	struct egress_preset file;
	int found = egress_preset_read_own(PRIVATE_HOSTS, &file, e);
	int status;

	if (found)
		return found < 0 ? -1 : 0;
	status = file.text.length ? egress_finish_mark_lines(s, file.text.data, e) : 0;
	buf_fini(&file.text);
	return status ? err_prefix(e, "%.300s", file.path) : 0;
}

/* Refuse an address that only --allow-private could reach; judge a network by its first address. */
static int egress_finish_check_private(const struct egress_spec *s, struct err *e)
{
	auto_buf struct buf host = {0};

	for (size_t i = 0; i < s->rule_count; i++) {
		const struct egress_rule *rule = &s->rules[i];

		if (rule->name || rule->allow_private ||
		    address_kind(&rule->net) != ADDRESS_PRIVATE)
			continue;
		egress_write_host(rule, &host);
		return err_input(e,
				 "--egress: %s is %s, not of the internet: give --allow-private %s "
				 "as well",
				 buf_string(&host), address_what(&rule->net), buf_string(&host));
	}
	return 0;
}

/* -- order ------------------------------------------------------------------------------------ */

/* The more precise a rule, the greater: a name, "*.a.b", "*.b"; then networks by prefix length. */
static size_t egress_finish_precision(const struct egress_rule *rule)
{
	const size_t most_bits = 128;

	if (!rule->name)
		return rule->prefix;
	return most_bits + (rule->name[0] == '*' ? strlen(rule->name) : HOST_NAME_SIZE);
}

/* Sort stably by precision: the first rule that matches decides about a connection. */
static void egress_finish_sort(struct egress_spec *s)
{
	for (size_t i = 1; i < s->rule_count; i++) {
		const struct egress_rule rule = s->rules[i];
		const size_t precision = egress_finish_precision(&rule);
		size_t at = i;

		while (at && egress_finish_precision(&s->rules[at - 1]) < precision)
			at--;
		memmove(s->rules + at + 1, s->rules + at, (i - at) * sizeof(rule));
		s->rules[at] = rule;
	}
}

/* -- ports ------------------------------------------------------------------------------------ */

static size_t egress_finish_different_ports(const struct egress_spec *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->rule_count; i++) {
		size_t before = 0;

		while (before < i && s->rules[before].port != s->rules[i].port)
			before++;
		count += before == i;
	}
	return count;
}

/* Always count the fixed ports, listed or not: a later list may drop them. */
static int egress_finish_check_count(const struct egress_spec *s, struct err *e)
{
	auto_buf struct buf text = {0};
	const size_t most = EGRESS_MAX_PORTS - egress_fixed_ports(s);

	if (egress_finish_different_ports(s) > most)
		return err_input(e, "--egress: more than %zu different ports", most);
	egress_to_json(s, &text);
	if (text.length > EGRESS_MAX_JSON)
		return err_input(e, "--egress: the names are more than %u KiB together",
				 EGRESS_MAX_JSON >> 10);
	return 0;
}

static bool egress_finish_is_any(const struct address *a)
{
	static const struct address zero;

	return !memcmp(a->bytes, zero.bytes, sizeof(zero.bytes));
}

static bool egress_finish_collide(const struct egress_published *a,
				  const struct egress_published *b)
{
	if (!a->host_port || a->host_port != b->host_port || a->address.is_v4 != b->address.is_v4)
		return false;
	return address_equal(&a->address, &b->address) || egress_finish_is_any(&a->address) ||
	       egress_finish_is_any(&b->address);
}

static int egress_finish_check_outside(const struct egress_spec *s, struct err *e)
{
	auto_buf struct buf text = {0};

	for (size_t i = 0; i < s->published_count; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct egress_published *p = &s->published[i];

			if (!egress_finish_collide(p, &s->published[k]))
				continue;
			egress_write_endpoint(&p->address, p->host_port, &text);
			return err_input(e, "--publish: %s is there twice", buf_string(&text));
		}
	}
	return 0;
}

/* Name the listener of the list that occupies this port inside, so a program cannot have it. */
static const char *egress_finish_whose(const struct egress_spec *s, uint16_t port)
{
	for (size_t i = 0; i < s->rule_count; i++) {
		if (s->rules[i].port == port)
			return s->rules[i].on_host ? "of --allow-host" : "one of --egress";
	}
	return "one of every session's own";
}

static int egress_finish_check_inside(const struct egress_spec *s, struct err *e)
{
	uint16_t ports[EGRESS_MAX_PORTS];
	const size_t count = egress_ports(s, ports);

	for (size_t i = 0; i < s->published_count; i++) {
		const uint16_t port = s->published[i].port;
		size_t at = 0;

		while (at < count && ports[at] != port)
			at++;
		if (at < count)
			return err_input(e,
					 "--publish: port %u is %s, and no program inside can "
					 "listen there; let it listen on another",
					 port, egress_finish_whose(s, port));
		if (s->has_list && port == EGRESS_DNS_PORT)
			return err_input(e, "--publish: port %d is the sandbox's own resolver's",
					 EGRESS_DNS_PORT);
	}
	return 0;
}

/* -- flags ------------------------------------------------------------------------------------ */

static int egress_finish_check_log(const struct egress_spec *s, struct err *e)
{
	if (s->log.text && !egress_is_wanted(s))
		return err_input(e, "--egress-log needs --egress, --allow-host or -p");
	return 0;
}

int egress_finish(struct sandbox_spec *s, struct err *e)
{
	struct egress_spec *network = &s->egress;

	network->stays = s->stays;
	if (egress_finish_check_log(network, e))
		return -1;
	for (size_t i = 0; i < s->allow_private.count; i++) {
		if (egress_finish_mark(network, s->allow_private.items[i], e))
			return -1;
	}
	if (network->has_list && (egress_finish_mark_file(network, e) || ca_finish(s, e)))
		return -1;
	egress_finish_sort(network);
	return egress_finish_check_private(network, e) || egress_finish_check_count(network, e) ||
			       egress_finish_check_outside(network, e) ||
			       egress_finish_check_inside(network, e)
		       ? -1
		       : 0;
}
