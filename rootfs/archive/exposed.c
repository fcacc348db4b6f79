/*
 * exposed - the ports at which an image says that its program listens.
 */
#include "exposed.h"

#include <string.h>

#include "base/own.h"
#include "base/parse.h"

#define MAX_PORT 65535

static const char *exposed_protocol(const char *text)
{
	static const char *const known[] = {"tcp", "udp", "sctp"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcasecmp(text, known[i]))
			return known[i];
	}
	return NULL;
}

/* Cuts the text. Returns the protocol; NULL: it is not a port. */
static const char *exposed_read(char *text, int64_t *first, int64_t *last)
{
	char *slash = strchr(text, '/');
	char *dash;
	struct err ignored;

	if (slash)
		*slash = '\0';
	dash = strchr(text, '-');
	if (dash)
		*dash = '\0';
	if (parse_int(text, 1, MAX_PORT, first, &ignored) ||
	    parse_int(dash ? dash + 1 : text, *first, MAX_PORT, last, &ignored))
		return NULL;
	return slash ? exposed_protocol(slash + 1) : "tcp";
}

int exposed_add(struct list *ports, const char *text, struct err *e)
{
	auto_free char *copy = own_strdup(text);
	const char *protocol;
	int64_t first = 0;
	int64_t last = 0;

	protocol = exposed_read(copy, &first, &last);
	if (!protocol)
		return err_input(e, "\"%.60s\" cannot be a port", text);
	for (int64_t port = first; port <= last; port++) {
		auto_free char *one = own_printf("%d/%s", (int)port, protocol);

		if (list_has(ports, one))
			continue;
		if (ports->count == EXPOSED_MAX)
			return err_input(e, "more than %d exposed ports", EXPOSED_MAX);
		list_add(ports, one);
	}
	list_sort(ports);
	return 0;
}
