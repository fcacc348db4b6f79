/*
 * egress_json - the network of a sandbox as JSON, for the process that serves it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "net/hostname.h"
#include "netpolicy/egress.h"
#include "netpolicy/egress_proxy.h"

#define MAX_PORT  65535
#define MAX_BYTES (1ull << 50) /* as the rows of run_settings have it */

/* -- writing ---------------------------------------------------------------------------------- */

static void egress_json_put_rule(const struct egress_rule *rule, struct buf *out)
{
	char text[ADDRESS_TEXT_SIZE];

	json_put_begin(out, NULL, '{');
	if (rule->name) {
		json_put_text(out, "name", rule->name);
	} else {
		address_text(&rule->net, text);
		json_put_text(out, "net", text);
		json_put_uint(out, "prefix", rule->prefix);
	}
	json_put_uint(out, "port", rule->port);
	json_put_text(out, "kind", egress_kind_name(rule->kind));
	if (rule->allow_private)
		json_put_bool(out, "allow_private", true);
	if (rule->on_host)
		json_put_bool(out, "on_host", true);
	json_put_end(out, '}');
}

static void egress_json_put_published(const struct egress_published *p, struct buf *out)
{
	char text[ADDRESS_TEXT_SIZE];

	address_text(&p->address, text);
	json_put_begin(out, NULL, '{');
	json_put_text(out, "address", text);
	json_put_uint(out, "host_port", p->host_port);
	json_put_uint(out, "port", p->port);
	json_put_end(out, '}');
}

void egress_to_json(const struct egress_spec *s, struct buf *out)
{
	json_put_bool(out, "has_list", s->has_list);
	json_put_begin(out, "rules", '[');
	for (size_t i = 0; i < s->rule_count; i++)
		egress_json_put_rule(&s->rules[i], out);
	json_put_end(out, ']');
	json_put_begin(out, "published", '[');
	for (size_t i = 0; i < s->published_count; i++)
		egress_json_put_published(&s->published[i], out);
	json_put_end(out, ']');
	json_put_uint(out, "rate_bytes", s->rate_bytes);
	json_put_uint(out, "total_bytes", s->total_bytes);
	json_put_uint(out, "connections", s->connections);
	json_put_uint(out, "log_bytes", s->log_bytes);
	if (s->proxy)
		json_put_text(out, "proxy", s->proxy);
}

void egress_put_list(const struct egress_spec *s, const char *key, struct buf *out)
{
	if (!s->has_list) {
		json_put_null(out, key);
		return;
	}
	json_put_begin(out, key, '[');
	for (size_t i = 0; i < s->rule_count; i++) {
		const struct egress_rule *rule = &s->rules[i];
		auto_buf struct buf text = {0};

		egress_write_host(rule, &text);
		buf_printf(&text, ":%u %s%s", rule->port, egress_kind_name(rule->kind),
			   rule->allow_private ? " private" : "");
		json_put_text(out, NULL, buf_string(&text));
	}
	json_put_end(out, ']');
}

/* -- reading ---------------------------------------------------------------------------------- */

/* Read a whole number within bounds. If missing, keep *out, or fail if it is `needed`. */
static int egress_json_number(const struct json *object, const char *key, bool needed, uint64_t min,
			      uint64_t max, uint64_t *out, struct err *e)
{
	uint64_t value = *out;

	if (needed && !json_get(object, key))
		return err_input(e, "\"%s\" is missing", key);
	if (json_get_uint(object, key, &value, e))
		return -1;
	if (json_get(object, key) && (value < min || value > max))
		return err_input(e, "\"%s\" is out of range", key);
	*out = value;
	return 0;
}

static int egress_json_bool(const struct json *object, const char *key, bool *out, struct err *e)
{
	const struct json *node = json_get(object, key);

	if (node && !json_is_bool(node))
		return err_input(e, "\"%s\" must be true or false", key);
	*out = node && json_is_true(node);
	return 0;
}

static int egress_json_port(const struct json *object, const char *key, uint16_t min, uint16_t *out,
			    struct err *e)
{
	uint64_t port = 0;

	if (egress_json_number(object, key, true, min, MAX_PORT, &port, e))
		return -1;
	*out = (uint16_t)port;
	return 0;
}

/* *found: whether the object has the member. */
static int egress_json_address(const struct json *object, const char *key, struct address *out,
			       bool *found, struct err *e)
{
	const char *text = NULL;

	if (json_get_string(object, key, &text, e))
		return -1;
	*found = text != NULL;
	if (text && address_parse(text, out))
		return err_input(e, "\"%s\" is not an address", key);
	return 0;
}

static int egress_json_net(const struct json *object, struct egress_rule *rule, struct err *e)
{
	uint64_t prefix = 0;
	bool found;

	if (egress_json_address(object, "net", &rule->net, &found, e))
		return -1;
	if (!found)
		return err_input(e, "\"name\" is missing");
	if (egress_json_number(object, "prefix", true, 0, rule->net.is_v4 ? 32 : 128, &prefix, e))
		return -1;
	rule->prefix = (unsigned)prefix;
	return 0;
}

/* The document owns the name, which must be in canonical form: rules are compared as text. */
static int egress_json_host(const struct json *object, struct egress_rule *rule, struct err *e)
{
	char canonical[HOST_NAME_SIZE];

	if (json_get_string(object, "name", &rule->name, e))
		return -1;
	if (!rule->name)
		return egress_json_net(object, rule, e);
	if (json_get(object, "net"))
		return err_input(e, "\"net\" and \"name\" are both there");
	if (host_name_pattern_canonical(rule->name, strlen(rule->name), canonical) ||
	    strcmp(canonical, rule->name) != 0)
		return err_input(e, "\"name\" is not a host name");
	return 0;
}

static int egress_json_kind(const struct json *object, struct egress_rule *rule, struct err *e)
{
	const char *name = NULL;
	int kind;

	if (json_get_string(object, "kind", &name, e))
		return -1;
	kind = name ? egress_kind_of(name) : -1;
	if (kind < 0)
		return err_input(e, "\"kind\" must be tls, http or raw");
	rule->kind = (enum egress_kind)kind;
	if (!rule->name && rule->kind != EGRESS_RAW)
		return err_input(e, "\"kind\" of an address must be raw");
	return 0;
}

static int egress_json_rule(const struct json *object, struct egress_spec *out, struct err *e)
{
	struct egress_rule rule = {0};
	size_t before = out->rule_count;

	if (!json_is_object(object))
		return err_input(e, "a rule must be an object");
	if (egress_json_host(object, &rule, e) ||
	    egress_json_port(object, "port", 1, &rule.port, e) ||
	    egress_json_kind(object, &rule, e) ||
	    egress_json_bool(object, "allow_private", &rule.allow_private, e) ||
	    egress_json_bool(object, "on_host", &rule.on_host, e) || egress_add_rule(out, &rule, e))
		return -1;
	if (out->rule_count > before)
		out->rules[before].name = own_strdup(rule.name);
	return 0;
}

static int egress_json_published(const struct json *object, struct egress_spec *out, struct err *e)
{
	struct egress_published p = {0};
	bool found;

	if (!json_is_object(object))
		return err_input(e, "a published port must be an object");
	if (egress_json_address(object, "address", &p.address, &found, e))
		return -1;
	if (!found)
		return err_input(e, "\"address\" is missing");
	if (egress_json_port(object, "host_port", 0, &p.host_port, e) ||
	    egress_json_port(object, "port", 1, &p.port, e))
		return -1;
	return egress_add_published(out, &p, e);
}

static int egress_json_each(const struct json *object, const char *key, struct egress_spec *out,
			    int (*read)(const struct json *item, struct egress_spec *out,
					struct err *e),
			    struct err *e)
{
	const struct json *array = NULL;
	size_t at = 0;

	if (json_get_array(object, key, &array, e))
		return -1;
	for (const struct json *n = array ? json_first(array) : NULL; n; n = json_next(n), at++) {
		if (read(n, out, e))
			return err_prefix(e, "\"%s\"[%zu]", key, at);
	}
	return 0;
}

static int egress_json_proxy(const struct json *object, struct egress_spec *out, struct err *e)
{
	struct egress_proxy ignored;
	const char *url = NULL;

	if (json_get_string(object, "proxy", &url, e))
		return -1;
	if (!url)
		return 0;
	if (egress_proxy_parse(url, &ignored, e))
		return err_prefix(e, "\"proxy\"");
	out->proxy = own_strdup(url);
	return 0;
}

static int egress_json_read(const struct json *object, struct egress_spec *out, struct err *e)
{
	if (!json_is_object(object))
		return err_input(e, "the network of a sandbox must be an object");
	if (egress_json_bool(object, "has_list", &out->has_list, e) ||
	    egress_json_each(object, "rules", out, egress_json_rule, e) ||
	    egress_json_each(object, "published", out, egress_json_published, e) ||
	    egress_json_number(object, "rate_bytes", false, 0, MAX_BYTES, &out->rate_bytes, e) ||
	    egress_json_number(object, "total_bytes", false, 0, MAX_BYTES, &out->total_bytes, e) ||
	    egress_json_number(object, "connections", false, 1, EGRESS_MAX_CONNECTIONS,
			       &out->connections, e) ||
	    egress_json_number(object, "log_bytes", false, 0, MAX_BYTES, &out->log_bytes, e) ||
	    egress_json_proxy(object, out, e))
		return -1;
	if (out->rule_count && !out->has_list)
		return err_input(e, "\"rules\" without \"has_list\"");
	return 0;
}

int egress_from_json(const struct json *object, struct egress_spec *out, struct err *e)
{
	*out = (struct egress_spec){.connections = EGRESS_CONNECTIONS,
				    .log_bytes = EGRESS_LOG_BYTES};
	if (!egress_json_read(object, out, e))
		return 0;
	egress_free(out);
	return -1;
}

void egress_free(struct egress_spec *s)
{
	for (size_t i = 0; i < s->rule_count; i++)
		free((char *)s->rules[i].name);
	free(s->rules);
	free(s->published);
	free((char *)s->proxy);
	*s = (struct egress_spec){0};
}
