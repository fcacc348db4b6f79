/*
 * network - start glovebox-egress for a sandbox's network.
 */
#include "client/network.h"

#include <stdio.h>
#include <string.h>

#include "base/json_put.h"
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

void network_write_published(const struct sandbox *s, struct buf *out)
{
	const struct egress_spec *asked = &s->spec->egress;
	const struct egress *begun = &s->egress;

	for (size_t i = 0; i < asked->published_count && i < begun->published_count; i++) {
		const struct egress_published *p = &begun->published[i];

		if (asked->published[i].host_port)
			continue;
		egress_write_endpoint(&p->address, p->host_port, out);
		buf_printf(out, " is port %u inside\n", (unsigned)p->port);
	}
}

void network_put_ports(const struct sandbox *s, struct buf *out)
{
	const struct egress *begun = &s->egress;

	json_put_begin(out, "ports", '[');
	for (size_t i = 0; i < begun->published_count; i++) {
		const struct egress_published *p = &begun->published[i];
		auto_buf struct buf address = {0};

		egress_write_endpoint(&p->address, p->host_port, &address);
		json_put_begin(out, NULL, '{');
		json_put_text(out, "address", buf_string(&address));
		json_put_uint(out, "port", p->port);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
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
