/*
 * ports - `port`, and the published ports of a sandbox that stays in docker's fields.
 */
#include "container/ports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/words.h"
#include "client/network.h"
#include "container/named.h"
#include "netpolicy/egress_publish.h"

size_t ports_bound(const struct record *r, struct egress_published out[EGRESS_MAX_PUBLISHED])
{
	return network_read_ports(record_runs(r) && r->how ? json_get(r->how, "ports") : NULL, out);
}

/* @wanted: "8000", or "8000/tcp": only its address; NULL: each. Returns whether it is printed. */
static bool ports_print(const struct egress_published *p, const char *wanted)
{
	auto_buf struct buf text = {0};
	auto_free char *name = own_printf("%u/tcp", (unsigned)p->port);
	const size_t length = wanted ? strlen(wanted) : 0;

	if (wanted && strcmp(wanted, name) != 0 &&
	    (strncmp(wanted, name, length) != 0 || name[length] != '/'))
		return false;
	egress_write_endpoint(&p->address, p->host_port, &text);
	if (!wanted)
		printf("%s -> ", name);
	puts(buf_string(&text));
	return true;
}

int command_port(int argc, char **argv)
{
	auto_record struct record r = {.dir = -1};
	struct egress_published ports[EGRESS_MAX_PUBLISHED];
	const char *wanted;
	struct err e;
	int at = words_read(argc, argv, NULL, NULL, 1, WORDS_ANY, &e);
	bool found = false;
	size_t count;

	if (at >= 0 && argc - at > 2)
		at = err_input(&e, "port: one port at most: %s port NAME [PORT[/tcp]]", our_name());
	if (at < 0)
		return fail_with(&e);
	if (named_find("port", argv[at], &r, &e))
		return fail_as_daemon(&e);
	wanted = argv[at + 1];
	count = ports_bound(&r, ports);
	for (size_t i = 0; i < count; i++)
		found |= ports_print(&ports[i], wanted);
	if (!wanted || found)
		return 0;
	err_set(&e, ERR_NOT_FOUND, "no public port '%.20s' published for %.100s", wanted,
		record_name(&r));
	return fail_as_daemon(&e);
}

/* -- docker's fields ------------------------------------------------------------------------- */

static void ports_put_one(const struct egress_published *p, struct buf *out)
{
	char address[ADDRESS_TEXT_SIZE];
	char port[8] = "";

	address_text(&p->address, address);
	if (p->host_port)
		snprintf(port, sizeof(port), "%u", (unsigned)p->host_port);
	json_put_begin(out, NULL, '{');
	json_put_text(out, "HostIp", address);
	json_put_text(out, "HostPort", port);
	json_put_end(out, '}');
}

static bool ports_is_first(const struct egress_published *ports, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (ports[i].port == ports[at].port)
			return false;
	}
	return true;
}

/* One member for each port of the sandbox, with all of its ports of the host. */
static void ports_put(const struct egress_published *ports, size_t count, const char *key,
		      struct buf *out)
{
	json_put_begin(out, key, '{');
	for (size_t i = 0; i < count; i++) {
		auto_free char *port = own_printf("%u/tcp", (unsigned)ports[i].port);

		if (!ports_is_first(ports, i))
			continue;
		json_put_begin(out, port, '[');
		for (size_t k = i; k < count; k++) {
			if (ports[k].port == ports[i].port)
				ports_put_one(&ports[k], out);
		}
		json_put_end(out, ']');
	}
	json_put_end(out, '}');
}

void ports_put_network(const struct record *r, struct buf *out)
{
	struct egress_published ports[EGRESS_MAX_PUBLISHED];
	const size_t count = ports_bound(r, ports);

	json_put_begin(out, "NetworkSettings", '{');
	ports_put(ports, count, "Ports", out);
	/* Clients look for published ports at the gateway: they are this machine's. */
	if (json_get(r->what, "egress") || count)
		json_put(out,
			 "Gateway:'127.0.0.1', IPAddress:'', "
			 "Networks:{bridge:{Gateway:'127.0.0.1', IPAddress:''}}");
	else
		json_put(out,
			 "Gateway:'', IPAddress:'', Networks:{none:{Gateway:'', IPAddress:''}}");
	json_put_end(out, '}');
}

/* The flags that `update` has kept say the whole list, if they say any of it. */
static size_t ports_asked(const struct record *r, struct egress_published out[EGRESS_MAX_PUBLISHED])
{
	static const char add[] = PORTS_FLAGS "=";
	static const char remove[] = PORTS_FLAGS "-rm=";
	auto_list struct list flags = {0};
	struct egress_spec updated = {0};
	bool is_updated = false;
	struct err ignored;

	(void)update_flags(r, &flags, &ignored);
	for (size_t i = 0; i < flags.count; i++) {
		const char *flag = flags.items[i];

		is_updated |= !strncmp(flag, remove, strlen(remove));
		if (!strncmp(flag, add, strlen(add)))
			(void)egress_publish_add(&updated, flag + strlen(add), &ignored);
	}
	if (updated.published_count)
		memcpy(out, updated.published, updated.published_count * sizeof(*out));
	free(updated.published);
	return is_updated ? updated.published_count
			  : network_read_ports(json_get(r->what, "published"), out);
}

void ports_put_bindings(const struct record *r, struct buf *out)
{
	struct egress_published ports[EGRESS_MAX_PUBLISHED];
	const size_t count = ports_asked(r, ports);

	ports_put(ports, count, "PortBindings", out);
}
