/*
 * fuzz_egress_json - what the process for a sandbox's network is told: what it accepts is within
 * its bounds, and is written as it was read.
 */
#include "fuzz.h"

#include "net/hostname.h"
#include "netpolicy/egress.h"
#include "netpolicy/egress_proxy.h"

static void check_rule(const struct egress_rule *rule)
{
	char again[HOST_NAME_SIZE];

	MUST(rule->port);
	MUST(rule->kind == EGRESS_TLS || rule->kind == EGRESS_HTTP || rule->kind == EGRESS_RAW);
	if (rule->name) {
		MUST(!host_name_pattern_canonical(rule->name, strlen(rule->name), again));
		MUST(!strcmp(again, rule->name));
	} else {
		MUST(rule->kind == EGRESS_RAW);
		MUST(rule->prefix <= (rule->net.is_v4 ? 32 : 128));
	}
}

/* It can be said to a person, and to the proxy in one line. */
static void check_proxy(const char *url)
{
	struct egress_proxy proxy;
	struct egress_proxy again;
	auto_buf struct buf text = {0};
	struct err e = {0};

	MUST(!egress_proxy_parse(url, &proxy, &e));
	MUST(proxy.port && !strpbrk(proxy.secret, "\r\n"));
	MUST(!proxy.secret[0] || (strchr(proxy.secret, ':') && proxy.secret[0] != ':'));
	egress_proxy_write(url, &text);
	MUST(!strchr(buf_string(&text), '@'));
	MUST(!egress_proxy_parse(buf_string(&text), &again, &e));
	MUST(!again.secret[0] && again.port == proxy.port && !strcmp(again.name, proxy.name));
	MUST(proxy.name[0] || address_equal(&again.address, &proxy.address));
}

static void check(const struct egress_spec *s)
{
	uint16_t ports[EGRESS_MAX_PORTS];

	MUST(s->rule_count <= EGRESS_MAX_RULES && s->published_count <= EGRESS_MAX_PUBLISHED);
	MUST(s->connections >= 1 && s->connections <= EGRESS_MAX_CONNECTIONS);
	MUST(!s->rule_count || s->has_list);
	MUST(egress_ports(s, ports) <= EGRESS_MAX_PORTS);
	for (size_t i = 0; i < s->rule_count; i++)
		check_rule(&s->rules[i]);
	for (size_t i = 0; i < s->published_count; i++)
		MUST(s->published[i].port);
	if (s->proxy)
		check_proxy(s->proxy);
}

static void check_again(const struct egress_spec *s)
{
	auto_buf struct buf first = {0};
	auto_buf struct buf second = {0};
	struct egress_spec read;
	struct json *document;
	struct err e = {0};

	buf_text(&first, "{");
	egress_to_json(s, &first);
	buf_text(&first, "}");
	document = json_parse(buf_string(&first), first.length, &e);
	MUST(document);
	MUST(!egress_from_json(document, &read, &e));
	json_free(document);
	buf_text(&second, "{");
	egress_to_json(&read, &second);
	buf_text(&second, "}");
	MUST(!strcmp(buf_string(&first), buf_string(&second)));
	egress_free(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct err e = {0};
	struct json *document = json_parse(text, strlen(text), &e);
	struct egress_spec s;

	if (!document) {
		fuzz_check_error(&e);
	} else if (egress_from_json(document, &s, &e)) {
		fuzz_check_error(&e);
		MUST(!s.rules && !s.published);
	} else {
		check(&s);
		check_again(&s);
		egress_free(&s);
	}
	json_free(document);
	free(text);
	return 0;
}
