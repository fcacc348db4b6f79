/*
 * network - start glovebox-egress for a sandbox's network.
 */
#include "client/network.h"

#include <stdio.h>
#include <string.h>

#include "base/json_put.h"
#include "base/parse.h"
#include "client/program_path.h"

static int network_find(char program[PROGRAM_PATH_SIZE], struct err *e)
{
	if (!program_path_of(EGRESS_PROGRAM, program))
		return 0;
	return err_set(e, ERR_UNSUPPORTED,
		       "%s is not in this one file: install its package (docs/install.md), or "
		       "leave --egress, --allow-host and -p out",
		       EGRESS_PROGRAM);
}

int network_prepare(struct sandbox *s, enum egress_life life, struct err *e)
{
	const struct egress_spec *wanted = &s->spec->egress;
	char program[PROGRAM_PATH_SIZE];

	if (!egress_is_wanted(wanted))
		return 0;
	if (network_find(program, e))
		return -1;
	return egress_prepare(program, wanted, s->id, life, &s->egress, e);
}

int network_try(struct err *e)
{
	const struct egress_spec none = {.has_list = true, .connections = 1};
	char program[PROGRAM_PATH_SIZE];
	const struct cgroup nowhere = {0};
	struct egress x;
	int bad;

	if (network_find(program, e) || egress_prepare(program, &none, "", EGRESS_WITH_US, &x, e))
		return -1;
	bad = egress_start(&x, &nowhere, e) || egress_await(&x, e) ? -1 : 0;
	egress_end(&x);
	return bad;
}

void network_write_chosen(const struct egress_published *asked,
			  const struct egress_published *bound, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++) {
		if (asked[i].host_port)
			continue;
		egress_write_endpoint(&bound[i].address, bound[i].host_port, out);
		buf_printf(out, " is port %u inside\n", (unsigned)bound[i].port);
	}
}

void network_write_published(const struct sandbox *s, struct buf *out)
{
	const struct egress *begun = &s->egress;

	/* It has no ports before it has begun. */
	network_write_chosen(s->spec->egress.published, begun->published, begun->published_count,
			     out);
}

void network_write_arrows(const struct egress_published *ports, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++) {
		buf_text(out, i ? ", " : "");
		egress_write_endpoint(&ports[i].address, ports[i].host_port, out);
		buf_printf(out, "->%u/tcp", (unsigned)ports[i].port);
	}
}

void network_put_ports(const struct egress_published *ports, size_t count, const char *key,
		       struct buf *out)
{
	json_put_begin(out, key, '[');
	for (size_t i = 0; i < count; i++) {
		auto_buf struct buf address = {0};

		egress_write_endpoint(&ports[i].address, ports[i].host_port, &address);
		json_put_begin(out, NULL, '{');
		json_put_text(out, "address", buf_string(&address));
		json_put_uint(out, "port", ports[i].port);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

/* "127.0.0.1:8080", "[::1]:8080". */
static int network_read_endpoint(const char *text, struct egress_published *out)
{
	const char *colon = strrchr(text, ':');
	const bool v6 = *text == '[';
	char address[ADDRESS_TEXT_SIZE];
	struct err ignored;
	int64_t port;

	if (!colon || parse_int(colon + 1, 0, UINT16_MAX, &port, &ignored) ||
	    colon - text < 2 * v6 || (v6 && colon[-1] != ']'))
		return -1;
	snprintf(address, sizeof(address), "%.*s", (int)(colon - text) - 2 * v6, text + v6);
	out->host_port = (uint16_t)port;
	return address_parse(address, &out->address);
}

size_t network_read_ports(const struct json *list,
			  struct egress_published out[EGRESS_MAX_PUBLISHED])
{
	const bool is_list = list && json_is_array(list);
	size_t count = 0;

	for (const struct json *n = is_list ? json_first(list) : NULL;
	     n && json_is_object(n) && count < EGRESS_MAX_PUBLISHED; n = json_next(n)) {
		const char *address = json_string_at(n, "address");

		if (!address || network_read_endpoint(address, &out[count]))
			break;
		out[count++].port = (uint16_t)json_uint_at(n, "port", 0);
	}
	return count;
}

void network_say_published(const struct buf *lines, const char *who)
{
	const char *line = buf_string(lines);

	while (*line) {
		int length = (int)strcspn(line, "\n");

		fprintf(stderr, "%s: %.*s\n", who, length, line);
		line += length + (line[length] == '\n');
	}
}
