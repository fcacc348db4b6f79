/*
 * fuzz_egress_list - a list of hosts, and behind a newline ports: what is accepted is canonical,
 * within its bounds, and never this machine.
 */
#include "fuzz.h"

#include "base/own.h"
#include "net/hostname.h"
#include "netpolicy/egress_publish.h"
#include "spec/egress_finish.h"
#include "spec/egress_list.h"

static void check_rule(const struct egress_rule *rule)
{
	char again[HOST_NAME_SIZE];

	MUST(rule->port && rule->port != EGRESS_DNS_PORT);
	MUST(!rule->on_host && !rule->allow_private);
	MUST(rule->kind == EGRESS_TLS || rule->kind == EGRESS_HTTP || rule->kind == EGRESS_RAW);
	if (!rule->name) {
		MUST(rule->kind == EGRESS_RAW);
		MUST(rule->prefix <= (rule->net.is_v4 ? 32 : 128));
		MUST(rule->prefix < (rule->net.is_v4 ? 32 : 128) ||
		     address_kind(&rule->net) != ADDRESS_SPECIAL);
		return;
	}
	MUST(!host_name_pattern_canonical(rule->name, strlen(rule->name), again));
	MUST(!strcmp(again, rule->name));
	MUST(strcmp(rule->name, "localhost") && strcmp(rule->name, EGRESS_HOST_NAME));
}

/* What a rule is written as is read as that rule. */
static void check_again(const struct egress_rule *rule)
{
	struct sandbox_spec s;
	struct err e = {0};
	auto_buf struct buf text = {0};

	egress_write_host(rule, &text);
	buf_printf(&text, ":%u:%s", rule->port, egress_kind_name(rule->kind));
	spec_init(&s);
	MUST(!egress_list_add(&s, buf_string(&text), &e));
	MUST(s.egress.rule_count == 1 && egress_same_host(&s.egress.rules[0], rule));
	MUST(s.egress.rules[0].port == rule->port && s.egress.rules[0].kind == rule->kind);
	spec_fini(&s);
}

static void check_published(const struct egress_spec *s)
{
	MUST(s->published_count <= EGRESS_MAX_PUBLISHED);
	for (size_t i = 0; i < s->published_count; i++)
		MUST(s->published[i].port);
}

/* What spec_finish() would accept reaches the other process as it is. */
static void check_json(const struct egress_spec *s)
{
	auto_buf struct buf text = {0};
	struct json *document;
	struct egress_spec read;
	struct err e = {0};
	uint16_t ports[EGRESS_MAX_PORTS];

	buf_text(&text, "{");
	egress_to_json(s, &text);
	buf_text(&text, "}");
	document = json_parse(buf_string(&text), text.length, &e);
	MUST(document);
	MUST(!egress_from_json(document, &read, &e));
	json_free(document);
	MUST(read.rule_count == s->rule_count && read.published_count == s->published_count);
	MUST(egress_ports(&read, ports) == egress_ports(s, ports));
	egress_free(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = fuzz_string(data, size);
	char *ports = strchr(text, '\n');
	struct sandbox_spec s;
	struct err e = {0};

	if (ports)
		*ports++ = '\0';
	spec_init(&s);
	if (egress_list_add(&s, text, &e) || (ports && egress_publish_add(&s.egress, ports, &e))) {
		fuzz_check_error(&e);
	} else {
		MUST(s.egress.has_list && s.egress.rule_count <= EGRESS_MAX_RULES);
		for (size_t i = 0; i < s.egress.rule_count; i++) {
			check_rule(&s.egress.rules[i]);
			check_again(&s.egress.rules[i]);
		}
		check_published(&s.egress);
		if (egress_finish(&s, &e))
			fuzz_check_error(&e);
		else
			check_json(&s.egress);
	}
	spec_fini(&s);
	return 0;
}
