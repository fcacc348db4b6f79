/*
 * egress_publish - parse -p.
 */
#include "netpolicy/egress_publish.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#define MAX_TEXT 128 /* more than the longest valid value */

static int egress_publish_port(const char *text, uint16_t *out, struct err *e)
{
	int64_t port;

	if (parse_int(text, 1, 65535, &port, e))
		return err_prefix(e, "port");
	*out = (uint16_t)port;
	return 0;
}

/* PORT or FIRST-LAST. */
static int egress_publish_first_last(char *text, struct port_range *out, struct err *e)
{
	char *dash = strchr(text, '-');

	if (dash)
		*dash = '\0';
	if (egress_publish_port(text, &out->first, e) ||
	    egress_publish_port(dash ? dash + 1 : text, &out->last, e))
		return -1;
	if (out->last < out->first)
		return err_input(e, "ports %u-%u: the last is before the first", out->first,
				 out->last);
	return 0;
}

/* Cuts the protocol off. */
static int egress_publish_protocol(char *text, struct err *e)
{
	char *slash = strrchr(text, '/');

	if (!slash)
		return 0;
	*slash = '\0';
	if (!strcmp(slash + 1, "tcp"))
		return 0;
	if (!strcmp(slash + 1, "udp") || !strcmp(slash + 1, "sctp"))
		return err_set(e, ERR_UNSUPPORTED, "%s is not published: only tcp is", slash + 1);
	return err_input(e, "\"%.20s\" is not a protocol: tcp", slash + 1);
}

/* Cuts "ADDRESS:" off; *rest is what follows. */
static int egress_publish_address(char *text, char **rest, struct address *out, struct err *e)
{
	char *end = *text == '[' ? strchr(text, ']') : strrchr(text, ':');
	char *first = strchr(text, ':');

	*rest = text;
	address_parse("127.0.0.1", out);
	if (*text != '[' && first == end) /* no colon, or only the one before PORT */
		return 0;
	if (!end)
		return err_input(e, "there is no ] behind the address");
	if (*text != '[') {
		end = first;
		*end = '\0';
	} else {
		*end++ = '\0';
		text++;
		if (*end != ':')
			return err_input(e, "ports are missing behind the address");
	}
	*rest = end + 1;
	if (address_parse(text, out))
		return err_input(
			e, "\"%.60s\" is not an address in numbers, such as 127.0.0.1 or [::1]",
			text);
	return 0;
}

static int egress_publish_ranges(char *text, struct port_range *host, struct port_range *inside,
				 struct err *e)
{
	char *colon = strchr(text, ':');

	*host = (struct port_range){0, 0};
	if (colon)
		*colon = '\0';
	if (egress_publish_first_last(colon ? colon + 1 : text, inside, e))
		return -1;
	if (!colon || !*text) /* "ADDRESS::PORT" */
		return 0;
	if (!strcmp(text, "0"))
		return err_input(e, "port 0 is none: leave it out for any free one");
	if (egress_publish_first_last(text, host, e))
		return -1;
	if (host->last - host->first != inside->last - inside->first)
		return err_input(e, "ports %u-%u and %u-%u: ranges of one length are wanted",
				 host->first, host->last, inside->first, inside->last);
	return 0;
}

static int egress_publish_read(struct egress_spec *s, char *text, struct err *e)
{
	struct egress_published p = {0};
	struct port_range inside;
	struct port_range host;
	char *rest;

	if (egress_publish_protocol(text, e) ||
	    egress_publish_address(text, &rest, &p.address, e) ||
	    egress_publish_ranges(rest, &host, &inside, e))
		return -1;
	for (unsigned i = 0; i <= (unsigned)(inside.last - inside.first); i++) {
		p.port = (uint16_t)(inside.first + i);
		p.host_port = host.first ? (uint16_t)(host.first + i) : 0;
		if (egress_add_published(s, &p, e))
			return -1;
	}
	return 0;
}

/* Suggest brackets for "::1:8080:8000", if they would make an address of its beginning. */
static int egress_publish_brackets(const char *text, struct err *e)
{
	char copy[MAX_TEXT];
	struct address found;
	char *end;

	snprintf(copy, sizeof(copy), "%s", text);
	for (int ports = 0; ports < 2; ports++) {
		end = strrchr(copy, ':');
		if (!end)
			return 0;
		*end = '\0';
	}
	if (!strchr(copy, ':') || address_parse(copy, &found))
		return 0;
	return err_input(e, "an IPv6 address stands in brackets: [%s]%s", copy,
			 text + strlen(copy));
}

int egress_publish_add(struct egress_spec *s, const char *text, struct err *e)
{
	char copy[MAX_TEXT];

	if (strlen(text) >= sizeof(copy))
		return err_input(e, "\"%.60s...\" is too long for ports", text);
	if (egress_publish_brackets(text, e))
		return err_prefix(e, "\"%.100s\"", text);
	snprintf(copy, sizeof(copy), "%s", text);
	return egress_publish_read(s, copy, e) ? err_prefix(e, "\"%.100s\"", text) : 0;
}

/* -- taking out, and writing ------------------------------------------------------------------- */

int egress_publish_range(const char *text, struct port_range *out, struct err *e)
{
	char copy[MAX_TEXT];

	*out = (struct port_range){1, UINT16_MAX};
	if (!strcmp(text, EGRESS_PUBLISH_ALL))
		return 0;
	snprintf(copy, sizeof(copy), "%s", text);
	return strlen(text) >= sizeof(copy) || egress_publish_protocol(copy, e) ||
			       egress_publish_first_last(copy, out, e)
		       ? err_input(e, "\"%.60s\" is not a port of the sandbox, FIRST-LAST or %s",
				   text, EGRESS_PUBLISH_ALL)
		       : 0;
}

int egress_publish_remove(struct egress_spec *s, const char *text, struct err *e)
{
	const size_t before = s->published_count;
	struct port_range range;
	size_t kept = 0;

	if (egress_publish_range(text, &range, e))
		return -1;
	for (size_t i = 0; i < before; i++) {
		const struct egress_published p = s->published[i];

		if (p.port < range.first || p.port > range.last)
			s->published[kept++] = p;
	}
	s->published_count = kept;
	return kept == before && strcmp(text, EGRESS_PUBLISH_ALL) != 0
		       ? err_input(e, "port %.60s is not published", text)
		       : 0;
}

void egress_publish_write(const struct egress_published *p, struct buf *out)
{
	char text[ADDRESS_TEXT_SIZE];

	address_text(&p->address, text);
	buf_printf(out, p->address.is_v4 ? "%s:" : "[%s]:", text);
	if (p->host_port)
		buf_printf(out, "%u", p->host_port);
	buf_printf(out, ":%u", p->port);
}
