/*
 * egress_flags - the flags of the network.
 */
#include "spec/egress_flags.h"

#include <string.h>

#include "base/own.h"
#include "base/parse.h"
#include "netpolicy/egress_host.h"
#include "netpolicy/egress_publish.h"
#include "spec/egress_list.h"

/* Apply `add` to each item of a comma-separated list. */
static int egress_flags_each(struct sandbox_spec *s, const char *value,
			     int (*take)(struct sandbox_spec *s, const char *item, struct err *e),
			     struct err *e)
{
	auto_free char *copy = own_strdup(value);
	char *rest = copy;
	char *item;

	while ((item = strsep(&rest, ","))) {
		if (take(s, item, e))
			return -1;
	}
	return 0;
}

int egress_flag_list(void *spec, const char *value, struct err *e)
{
	return egress_list_add(spec, value, e);
}

/* Keep the name until spec_finish(): flags come in any order, so its rule may follow. */
static int egress_flags_private(struct sandbox_spec *s, const char *item, struct err *e)
{
	struct egress_entry ignored;

	if (egress_host_parse(item, &ignored, e))
		return -1;
	spec_list_add(s, &s->allow_private, item);
	return 0;
}

int egress_flag_private(void *spec, const char *value, struct err *e)
{
	return egress_flags_each(spec, value, egress_flags_private, e);
}

static int egress_flags_host(struct sandbox_spec *s, const char *item, struct err *e)
{
	static const char *const names[] = {EGRESS_HOST_NAME, EGRESS_DOCKER_NAME};
	int64_t port;

	if (parse_int(item, 1, 65535, &port, e))
		return err_prefix(e, "port of this machine");
	if (port == EGRESS_DNS_PORT)
		return err_input(e, "port %d is the sandbox's own resolver's", EGRESS_DNS_PORT);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct egress_rule rule = {.name = names[i],
						 .port = (uint16_t)port,
						 .kind = EGRESS_RAW,
						 .on_host = true};

		if (egress_add_rule(&s->egress, &rule, e))
			return -1;
	}
	s->egress.has_list = true;
	return 0;
}

int egress_flag_host(void *spec, const char *value, struct err *e)
{
	return egress_flags_each(spec, value, egress_flags_host, e);
}

int egress_flag_publish(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;

	return egress_publish_add(&s->egress, value, e);
}

int egress_flag_publish_rm(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;

	return egress_publish_remove(&s->egress, value, e);
}
