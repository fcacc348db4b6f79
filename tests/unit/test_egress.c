/*
 * test_egress - rules and published ports: which are kept, and how they reach the process that
 * serves them.
 */
#include "unit.h"

#include "base/own.h"
#include "netpolicy/egress.h"

static struct egress_spec network;
static struct err e;

static int begin(void **state)
{
	(void)state;
	network = (struct egress_spec){
		.has_list = true, .connections = EGRESS_CONNECTIONS, .log_bytes = EGRESS_LOG_BYTES};
	return 0;
}

static int end(void **state)
{
	(void)state;
	egress_free(&network);
	return 0;
}

static int add_name(const char *name, unsigned port, enum egress_kind kind)
{
	const struct egress_rule rule = {
		.name = own_strdup(name), .port = (uint16_t)port, .kind = kind};
	const size_t before = network.rule_count;
	const int bad = egress_add_rule(&network, &rule, &e);

	if (network.rule_count == before)
		free((char *)rule.name);
	return bad;
}

static int add_net(const char *text, unsigned prefix, unsigned port)
{
	struct egress_rule rule = {.prefix = prefix, .port = (uint16_t)port, .kind = EGRESS_RAW};

	assert_int_equal(address_parse(text, &rule.net), 0);
	return egress_add_rule(&network, &rule, &e);
}

static void add_published(const char *address, unsigned host_port, unsigned port)
{
	struct egress_published p = {.host_port = (uint16_t)host_port, .port = (uint16_t)port};

	assert_int_equal(address_parse(address, &p.address), 0);
	accepts(egress_add_published(&network, &p, &e), address);
}

/* --- rules ---------------------------------------------------------------------------------- */

static void test_a_rule_is_there_once(void **state)
{
	(void)state;
	accepts(add_name("a.example", 443, EGRESS_TLS), "first");
	accepts(add_name("a.example", 443, EGRESS_TLS), "again");
	accepts(add_name("a.example", 80, EGRESS_HTTP), "other port");
	accepts(add_name("*.a.example", 443, EGRESS_TLS), "pattern");
	accepts(add_net("10.0.0.0", 8, 443), "net");
	accepts(add_net("10.0.0.0", 8, 443), "net again");
	accepts(add_net("10.0.0.0", 16, 443), "narrower");
	assert_int_equal(network.rule_count, 5);
	refuses(add_name("a.example", 443, EGRESS_RAW), "kind", ERR_INPUT,
		"@egress_refuse_kind a.example:443 ... tls ... raw");
}

static void test_the_host_itself_is_another_host(void **state)
{
	const struct egress_rule outside = {.name = "a.example", .port = 1, .kind = EGRESS_RAW};
	struct egress_rule here = outside;

	(void)state;
	here.on_host = true;
	assert_false(egress_same_host(&outside, &here));
	here.on_host = false;
	here.port = 2;
	assert_true(egress_same_host(&outside, &here));
}

static void test_there_is_an_end_of_rules_and_ports(void **state)
{
	const struct egress_published p = {.port = 1};

	(void)state;
	for (unsigned i = 0; i < EGRESS_MAX_RULES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "h%u.example", i);
		accepts(add_name(name, 443, EGRESS_TLS), name);
	}
	refuses(add_name("one.more", 443, EGRESS_TLS), "rule", ERR_INPUT, "@egress_add_rule 1024");
	for (unsigned i = 0; i < EGRESS_MAX_PUBLISHED; i++)
		accepts(egress_add_published(&network, &p, &e), "port");
	refuses(egress_add_published(&network, &p, &e), "port", ERR_INPUT,
		"@egress_add_published 32");
}

static void test_ports_are_ascending_and_different(void **state)
{
	static const uint16_t given[] = {443, 80, 5432, 443, 1, 65535, 80};
	static const uint16_t wanted[] = {1, 80, 443, 5432, 65535};
	uint16_t ports[EGRESS_MAX_PORTS];
	char name[16];

	(void)state;
	for (size_t i = 0; i < COUNT(given); i++) {
		snprintf(name, sizeof(name), "h%zu", i);
		accepts(add_name(name, given[i], EGRESS_RAW), name);
	}
	assert_int_equal(egress_ports(&network, ports), COUNT(wanted));
	assert_memory_equal(ports, wanted, sizeof(wanted));
	network.has_list = false;
	assert_int_equal(egress_ports(&network, ports), 0);
}

static void test_a_session_listens_on_four_more(void **state)
{
	static const uint16_t wanted[] = {80, 443, 5432, 8080, 8443};
	uint16_t ports[EGRESS_MAX_PORTS];

	(void)state;
	network.is_session = true;
	accepts(add_name("h", 5432, EGRESS_RAW), "h");
	assert_int_equal(egress_ports(&network, ports), COUNT(wanted));
	assert_memory_equal(ports, wanted, sizeof(wanted));
	network.has_list = false;
	assert_int_equal(egress_ports(&network, ports), 0);
}

static void test_what_stays_listens_on_two_more(void **state)
{
	static const uint16_t wanted[] = {80, 443, 5432};
	const struct egress_published published = {.port = 80};
	uint16_t ports[EGRESS_MAX_PORTS];

	(void)state;
	network.stays = true;
	accepts(add_name("h", 5432, EGRESS_RAW), "h");
	assert_int_equal(egress_ports(&network, ports), COUNT(wanted));
	assert_memory_equal(ports, wanted, sizeof(wanted));
	/* not where a program of its own is published */
	assert_int_equal(egress_add_published(&network, &published, &e), 0);
	assert_int_equal(egress_ports(&network, ports), COUNT(wanted) - 1);
	assert_memory_equal(ports, wanted + 1, sizeof(wanted) - sizeof(*wanted));
}

static void test_no_more_ports_are_written_than_there_is_room_for(void **state)
{
	uint16_t ports[EGRESS_MAX_PORTS + 1];

	(void)state;
	ports[EGRESS_MAX_PORTS] = 4711;
	for (unsigned i = 0; i < EGRESS_MAX_PORTS + 10; i++)
		accepts(add_name("h", 1000 + i, EGRESS_RAW), "h");
	assert_int_equal(egress_ports(&network, ports), EGRESS_MAX_PORTS);
	assert_int_equal(ports[EGRESS_MAX_PORTS], 4711);
}

static void test_hosts_are_written_as_a_list_names_them(void **state)
{
	static const char *const wanted[] = {"*.a.example", "10.0.0.0/8", "10.0.0.1", "[fd00::1]",
					     "[fd00::/8]"};

	(void)state;
	accepts(add_name("*.a.example", 443, EGRESS_TLS), "pattern");
	accepts(add_net("10.0.0.0", 8, 80), "net");
	accepts(add_net("10.0.0.1", 32, 80), "address");
	accepts(add_net("fd00::1", 128, 80), "address");
	accepts(add_net("fd00::", 8, 80), "net");
	for (size_t i = 0; i < COUNT(wanted); i++) {
		auto_buf struct buf text = {0};

		egress_write_host(&network.rules[i], &text);
		assert_string_equal(buf_string(&text), wanted[i]);
	}
}

/* --- JSON ----------------------------------------------------------------------------------- */

static struct json *written(void)
{
	auto_buf struct buf text = {0};
	struct json *document;

	buf_text(&text, "{\"op\":\"begin\",");
	egress_to_json(&network, &text);
	buf_text(&text, "}");
	document = json_parse(buf_string(&text), text.length, &e);
	if (!document)
		fail_msg("%s: %s", e.text, buf_string(&text));
	return document;
}

static void same_rule(const struct egress_rule *a, const struct egress_rule *b)
{
	assert_true(egress_same_host(a, b));
	assert_int_equal(a->port, b->port);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->allow_private, b->allow_private);
}

static void test_what_is_written_is_read(void **state)
{
	struct egress_spec read;
	struct json *document;

	(void)state;
	accepts(add_name("a.example", 443, EGRESS_TLS), "a");
	accepts(add_name("*.b.example", 80, EGRESS_HTTP), "b");
	accepts(add_name(EGRESS_HOST_NAME, 5432, EGRESS_RAW), "host");
	accepts(add_net("10.0.0.0", 8, 22), "net");
	accepts(add_net("2001:db8::", 32, 22), "net");
	network.rules[0].allow_private = network.rules[3].allow_private = true;
	network.rules[2].on_host = true;
	add_published("127.0.0.1", 0, 8000);
	add_published("::1", 8080, 80);
	network.rate_bytes = 1ull << 50;
	network.total_bytes = 12345678901;
	network.connections = 4096;
	network.log_bytes = 7;
	document = written();
	accepts(egress_from_json(document, &read, &e), "read");
	json_free(document); /* nothing of it is kept */
	assert_true(read.has_list);
	assert_int_equal(read.rule_count, network.rule_count);
	for (size_t i = 0; i < read.rule_count; i++)
		same_rule(&read.rules[i], &network.rules[i]);
	assert_int_equal(read.published_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(
			address_equal(&read.published[i].address, &network.published[i].address));
		assert_int_equal(read.published[i].host_port, network.published[i].host_port);
		assert_int_equal(read.published[i].port, network.published[i].port);
	}
	assert_int_equal(read.rate_bytes, network.rate_bytes);
	assert_int_equal(read.total_bytes, network.total_bytes);
	assert_int_equal(read.connections, 4096);
	assert_int_equal(read.log_bytes, 7);
	egress_free(&read);
}

static int read_text(const char *text, struct egress_spec *out)
{
	struct json *document = json_parse(text, strlen(text), &e);
	int bad;

	if (!document)
		fail_msg("%s: %s", text, e.text);
	bad = egress_from_json(document, out, &e);
	json_free(document);
	return bad;
}

static void test_what_is_missing_is_as_nothing(void **state)
{
	struct egress_spec read;

	(void)state;
	accepts(read_text("{}", &read), "{}");
	assert_false(egress_is_wanted(&read));
	assert_int_equal(read.connections, EGRESS_CONNECTIONS);
	assert_int_equal(read.log_bytes, EGRESS_LOG_BYTES);
	accepts(read_text("{\"op\":\"list\",\"has_list\":true,\"rules\":[]}", &read), "list");
	assert_true(read.has_list);
	assert_int_equal(read.rule_count, 0);
}

#define RULE(members)      "{\"has_list\":true,\"rules\":[{" members "}]}"
#define PUBLISHED(members) "{\"published\":[{" members "}]}"

static void test_bad_json_is_refused_by_its_key(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{"[]",								   "@egress_json_read#network"                },
		{"{\"has_list\":1}",						     "\"has_list\""                             },
		{"{\"rules\":{}}",						       "rules"                                    },
		{"{\"has_list\":true,\"rules\":[1]}",                                    "\"rules\"[0]: a rule"                     },
		{"{\"rules\":[{\"name\":\"a\",\"port\":1,\"kind\":\"raw\"}]}",
		 "@egress_json_read#without \"has_list\""									   },
		{RULE(""),							       "@egress_json_net \"name\""                },
		{RULE("\"name\":\"a\",\"kind\":\"raw\""),                                "@egress_json_number#missing \"port\""     },
		{RULE("\"name\":\"a\",\"port\":0,\"kind\":\"raw\""),
		 "@egress_json_number#range \"port\""									       },
		{RULE("\"name\":\"a\",\"port\":65536,\"kind\":\"raw\""),
		 "@egress_json_number#range \"port\""									       },
		{RULE("\"name\":\"a\",\"port\":1.5,\"kind\":\"raw\""),                   "port"                                     },
		{RULE("\"name\":\"a\",\"port\":-1,\"kind\":\"raw\""),                    "port"                                     },
		{RULE("\"name\":\"a\",\"port\":1"),                                      "@egress_json_kind#http \"kind\""          },
		{RULE("\"name\":\"a\",\"port\":1,\"kind\":\"quic\""),
		 "@egress_json_kind#http \"kind\""										  },
		{RULE("\"name\":\"A\",\"port\":1,\"kind\":\"raw\""),
		 "@egress_json_host#host \"name\""										  },
		{RULE("\"name\":\"a.\",\"port\":1,\"kind\":\"raw\""),
		 "@egress_json_host#host \"name\""										  },
		{RULE("\"name\":\"\",\"port\":1,\"kind\":\"raw\""),
		 "@egress_json_host#host \"name\""										  },
		{RULE("\"name\":\"a\",\"net\":\"1.2.3.4\",\"port\":1,\"kind\":\"raw\""),
		 "@egress_json_host#both \"net\" ... \"name\""								      },
		{RULE("\"net\":\"1.2.3.4\",\"port\":1,\"kind\":\"raw\""),
		 "@egress_json_number#missing \"prefix\""									   },
		{RULE("\"net\":\"1.2.3.4\",\"prefix\":33,\"port\":1,\"kind\":\"raw\""),
		 "@egress_json_number#range \"prefix\""									     },
		{RULE("\"net\":\"1.2.3.4\",\"prefix\":32,\"port\":1,\"kind\":\"tls\""),
		 "@egress_json_kind#address"											},
		{RULE("\"net\":\"1.2.3\",\"prefix\":32,\"port\":1,\"kind\":\"raw\""),
		 "@egress_json_address \"net\""										     },
		{RULE("\"name\":\"a\",\"port\":1,\"kind\":\"raw\",\"on_host\":\"x\""),
		 "\"on_host\""												      },
		{"{\"published\":[7]}",						  "@egress_json_published#published"         },
		{PUBLISHED("\"port\":1,\"host_port\":1"),
		 "@egress_json_published#address \"address\""								       },
		{PUBLISHED("\"address\":\"x\",\"port\":1,\"host_port\":1"),
		 "@egress_json_address \"address\""										 },
		{PUBLISHED("\"address\":\"::1\",\"port\":0,\"host_port\":1"),
		 "@egress_json_number#range \"port\""									       },
		{PUBLISHED("\"address\":\"::1\",\"port\":1"),
		 "@egress_json_number#missing \"host_port\""									},
		{"{\"connections\":0}",						  "@egress_json_number#range \"connections\""},
		{"{\"connections\":4097}",					       "@egress_json_number#range \"connections\""},
		{"{\"rate_bytes\":\"1\"}",					       "rate_bytes"                               },
		{"{\"total_bytes\":-1}",						 "total_bytes"                              },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct egress_spec read;

		refuses(read_text(rows[i].text, &read), rows[i].text, ERR_INPUT, rows[i].says);
		assert_null(read.rules);
		assert_null(read.published);
	}
}

static void test_more_rules_than_there_may_be_are_refused(void **state)
{
	auto_buf struct buf text = {0};
	struct egress_spec read;

	(void)state;
	buf_text(&text, "{\"has_list\":true,\"rules\":[");
	for (unsigned i = 0; i <= EGRESS_MAX_RULES; i++)
		buf_printf(&text, "%s{\"name\":\"h%u\",\"port\":1,\"kind\":\"raw\"}", i ? "," : "",
			   i);
	buf_text(&text, "]}");
	refuses(read_text(buf_string(&text), &read), "1025", ERR_INPUT,
		"@egress_add_rule \"rules\"[1024]");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_rule_is_there_once),
		TEST(test_the_host_itself_is_another_host),
		TEST(test_there_is_an_end_of_rules_and_ports),
		TEST(test_ports_are_ascending_and_different),
		TEST(test_a_session_listens_on_four_more),
		TEST(test_what_stays_listens_on_two_more),
		TEST(test_no_more_ports_are_written_than_there_is_room_for),
		TEST(test_hosts_are_written_as_a_list_names_them),
		TEST(test_what_is_written_is_read),
		TEST(test_what_is_missing_is_as_nothing),
		TEST(test_bad_json_is_refused_by_its_key),
		TEST(test_more_rules_than_there_may_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
