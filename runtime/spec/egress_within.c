/*
 * egress_within - whether one list of hosts lies within another.
 */
#include "spec/egress_within.h"

#include <string.h>

#include "base/buf.h"
#include "netpolicy/egress_host.h"

static int egress_within_refuse(const char *flag, const char *what, const char *file, struct err *e)
{
	if (!file)
		return err_set(e, ERR_LIMIT, "\"%s\": %.200s is beyond the ceiling", flag, what);
	return err_set(e, ERR_LIMIT, "--%s: %.200s is more than \"egress\" allows in %.300s", flag,
		       what, file);
}

/* "*.b" covers "a.b" and "*.a.b". */
static bool egress_within_name(const char *name, const char *most)
{
	const size_t length = strlen(name);
	const size_t tail = strlen(most) - 1;

	if (!strcmp(name, most))
		return true;
	return *most == '*' && length > tail && !strcmp(name + length - tail, most + 1);
}

static bool egress_within_rule(const struct egress_rule *rule, const struct egress_rule *most)
{
	if (rule->port != most->port || rule->on_host || most->on_host ||
	    (most->kind != EGRESS_RAW && most->kind != rule->kind) || !rule->name != !most->name)
		return false;
	if (rule->name)
		return egress_within_name(rule->name, most->name);
	return rule->prefix >= most->prefix && address_in(&rule->net, &most->net, most->prefix);
}

static bool egress_within_list(const struct egress_rule *rule, const struct egress_spec *most)
{
	for (size_t i = 0; i < most->rule_count; i++) {
		if (egress_within_rule(rule, &most->rules[i]))
			return true;
	}
	return false;
}

static int egress_within_hosts(const struct egress_spec *s, const struct egress_spec *most,
			       const char *file, struct err *e)
{
	for (size_t i = 0; i < s->rule_count; i++) {
		const struct egress_rule *rule = &s->rules[i];
		auto_buf struct buf text = {0};

		if (egress_within_list(rule, most))
			continue;
		if (!rule->on_host)
			egress_write_host(rule, &text);
		buf_printf(&text, rule->on_host ? "%u" : ":%u", rule->port);
		if (!rule->on_host)
			buf_printf(&text, ":%s", egress_kind_name(rule->kind));
		return egress_within_refuse(rule->on_host ? "allow-host" : "egress",
					    buf_string(&text), file, e);
	}
	return 0;
}

/* An address that the list has is allowed, and private or not; a name might lead to any. */
static int egress_within_private(const struct string_list *names, const char *file, struct err *e)
{
	struct egress_entry entry;

	for (size_t i = 0; i < names->count; i++) {
		if (egress_host_parse(names->items[i], &entry, e))
			return -1;
		if (entry.name[0])
			return egress_within_refuse("allow-private", names->items[i], file, e);
	}
	return 0;
}

int egress_within(const struct sandbox_spec *s, const struct egress_spec *most, const char *file,
		  struct err *e)
{
	if (s->egress.proxy)
		return egress_within_refuse("egress-proxy", s->egress.proxy, file, e);
	return egress_within_hosts(&s->egress, most, file, e) ||
			       egress_within_private(&s->allow_private, file, e)
		       ? -1
		       : 0;
}
