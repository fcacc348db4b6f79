/*
 * test_egress_flags - published ports, ports of this machine, private names, and what disagrees.
 */
#include "unit.h"

#include "spec/egress_finish.h"
#include "spec/egress_flags.h"
#include "spec/run_settings.h"

static struct sandbox_spec spec;
static struct err e;

static int begin(void **state)
{
	(void)state;
	spec_init(&spec);
	return 0;
}

static int end(void **state)
{
	(void)state;
	spec_fini(&spec);
	return 0;
}

static int flag(const char *name, const char *value)
{
	const struct settings settings = {
		.face = FACE_RUN, .tables = {run_settings_table(&spec)}, .keeper = &spec};

	return setting_apply(&settings, setting_find(&settings, name, strlen(name)), value, &e);
}

static void given(const char *name, const char *value)
{
	accepts(flag(name, value), value);
}

static void anew(void)
{
	spec_fini(&spec);
	spec_init(&spec);
}

/* --- -p ------------------------------------------------------------------------------------- */

/* The published ports as text: "outside>inside" each, separated by blanks. */
static void published_as(const char *value, const char *wanted)
{
	auto_buf struct buf text = {0};

	anew();
	given("publish", value);
	for (size_t i = 0; i < spec.egress.published_count; i++) {
		const struct egress_published *p = &spec.egress.published[i];

		buf_text(&text, i ? " " : "");
		egress_write_endpoint(&p->address, p->host_port, &text);
		buf_printf(&text, ">%u", p->port);
	}
	assert_string_equal(buf_string(&text), wanted);
	assert_false(spec.egress.has_list);
	assert_true(egress_is_wanted(&spec.egress));
	accepts(spec_finish(&spec, &e), value);
}

static void test_ports_are_published_on_loopback(void **state)
{
	(void)state;
	published_as("8000", "127.0.0.1:0>8000");
	published_as("8080:8000", "127.0.0.1:8080>8000");
	published_as("8080:8000/tcp", "127.0.0.1:8080>8000");
	published_as("0.0.0.0:8080:8000", "0.0.0.0:8080>8000");
	published_as("127.0.0.2::8000", "127.0.0.2:0>8000");
	published_as("[::1]:8080:8000", "[::1]:8080>8000");
	published_as("[::]::8000", "[::]:0>8000");
	published_as("8000-8002", "127.0.0.1:0>8000 127.0.0.1:0>8001 127.0.0.1:0>8002");
	published_as("80-81:90-91", "127.0.0.1:80>90 127.0.0.1:81>91");
	published_as("0.0.0.0:80-81:90-91/tcp", "0.0.0.0:80>90 0.0.0.0:81>91");
	published_as("65535:65535", "127.0.0.1:65535>65535");
}

static void test_what_is_no_port_is_refused(void **state)
{
	static const char *const rows[] = {
		"",
		":",
		"0",
		"65536",
		"x",
		"80:",
		"80:x",
		"0:80",
		"-1",
		"80-",
		"-80",
		"81-80",
		"80-81:90",
		"80:90-91",
		"80-82:90-91",
		"1:2:3",
		"a:80:80",
		"127.1:80:80",
		"1.2.3:80:80",
		"[::1]",
		"[::1]:",
		"[::1:80",
		"::1:80:80",
		"1:2:3:4",
		"80/",
		"80/http",
		"80/tcp/x",
		"80:80/TCP",
		"80 ",
		"127.0.0.1:80",
		"1-33",
		"1-65535:1-65535",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		anew();
		refuses(flag("publish", rows[i]), rows[i], ERR_INPUT, "");
	}
	anew();
	refuses(flag("publish", "0:80"), "0:80", ERR_INPUT, "@egress_publish_ranges#none");
	refuses(flag("publish", "localhost:80:80"), "name", ERR_INPUT,
		"@egress_publish_address#numbers 127.0.0.1");
	refuses(flag("publish", "::1:8080:80"), "::1", ERR_INPUT,
		"@egress_publish_brackets [::1]:8080:80");
	refuses(flag("publish", "53:53/udp"), "udp", ERR_UNSUPPORTED,
		"@egress_publish_protocol#published udp");
	refuses(flag("publish", "53/sctp"), "sctp", ERR_UNSUPPORTED,
		"@egress_publish_protocol#published sctp");
	assert_int_equal(spec.egress.published_count, 0);
}

/* --- --allow-host, --allow-private ------------------------------------------------------------ */

static void test_ports_of_this_machine_have_two_names(void **state)
{
	(void)state;
	given("allow-host", "11434,5432");
	given("allow-host", "5432");
	assert_true(spec.egress.has_list);
	assert_int_equal(spec.egress.rule_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct egress_rule *rule = &spec.egress.rules[i];

		assert_true(rule->on_host);
		assert_int_equal(rule->kind, EGRESS_RAW);
		assert_int_equal(rule->port, i < 2 ? 11434 : 5432);
		assert_string_equal(rule->name, i % 2 ? EGRESS_DOCKER_NAME : EGRESS_HOST_NAME);
	}
	accepts(spec_finish(&spec, &e), "finish");
	for (const char *const *bad =
		     (const char *const[]){"", "0", "65536", "a", "80,", "53", NULL};
	     *bad; bad++)
		refuses(flag("allow-host", *bad), *bad, ERR_INPUT, "port");
}

static void test_private_names_are_those_of_the_list(void **state)
{
	(void)state;
	given("allow-private", "DB.internal.,10.0.0.0/8"); /* in any order */
	given("allow-private", "[fd00::1]");
	given("egress", "db.internal:5432,db.internal:22,a.example,10.0.0.0/8:80,[fd00::1]:80");
	accepts(spec_finish(&spec, &e), "finish");
	for (size_t i = 0; i < spec.egress.rule_count; i++) {
		const struct egress_rule *rule = &spec.egress.rules[i];

		assert_int_equal(rule->allow_private,
				 !rule->name || strcmp(rule->name, "a.example") != 0);
	}
	given("allow-private", "b.example");
	refuses(spec_finish(&spec, &e), "b.example", ERR_INPUT,
		"@egress_finish_mark#--egress --allow-private ... b.example ... --egress");
	anew();
	given("allow-private", "a.example");
	refuses(spec_finish(&spec, &e), "alone", ERR_INPUT,
		"@egress_finish_mark#--egress a.example ... --egress");
	anew();
	given("egress", "pypi");
	given("allow-private", "PyPI");
	refuses(spec_finish(&spec, &e), "list", ERR_INPUT, "@egress_finish_mark#list PyPI");
	anew();
	given("egress", "*.internal:80");
	given("allow-private", "db.internal");
	refuses(spec_finish(&spec, &e), "below", ERR_INPUT,
		"@egress_finish_mark#--egress db.internal ... --egress");
	refuses(flag("allow-private", ""), "", ERR_INPUT, "@egress_host_refuse#neither");
	refuses(flag("allow-private", "a.b:80"), "a.b:80", ERR_INPUT, "@egress_host_parse");
	refuses(flag("allow-private", "127.0.0.1"), "127.0.0.1", ERR_INPUT,
		"@egress_host_refuse_special");
}

static void test_the_machine_itself_is_no_private_name(void **state)
{
	(void)state;
	given("allow-host", "80");
	refuses(flag("allow-private", EGRESS_HOST_NAME), "host", ERR_INPUT,
		"@egress_host_refuse_local");
}

static void test_a_private_address_takes_its_own_word(void **state)
{
	static const char *const rows[] = {"10.0.0.1:80", "192.168.0.0/16:80", "100.64.0.1:80",
					   "[fd00::1]:80", "172.16.0.0/12:80"};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char host[64];

		anew();
		given("egress", rows[i]);
		refuses(spec_finish(&spec, &e), rows[i], ERR_INPUT,
			"@egress_finish_check_private --allow-private");
		snprintf(host, sizeof(host), "%.*s", (int)strlen(rows[i]) - 3, rows[i]);
		given("allow-private", host);
		accepts(spec_finish(&spec, &e), host);
	}
}

/* Whoever wrote a name and a pattern meant the name where both fit, in whatever order. */
static void test_the_rule_that_means_fewer_hosts_comes_first(void **state)
{
	static const char *const wanted[] = {"c.example",  "db.a.internal", "*.a.internal",
					     "*.internal", "10.1.0.0/16",   "10.0.0.0/8"};

	(void)state;
	given("egress", "*.internal:1,10.0.0.0/8:1,c.example:1,*.a.internal:1,10.1.0.0/16:1");
	given("egress", "db.a.internal:1:tls");
	given("allow-private", "db.a.internal,10.0.0.0/8,10.1.0.0/16");
	accepts(spec_finish(&spec, &e), "finish");
	assert_int_equal(spec.egress.rule_count, COUNT(wanted));
	for (size_t i = 0; i < COUNT(wanted); i++) {
		auto_buf struct buf host = {0};

		egress_write_host(&spec.egress.rules[i], &host);
		assert_string_equal(buf_string(&host), wanted[i]);
	}
}

/* --- what disagrees --------------------------------------------------------------------------- */

static void test_a_port_is_listened_on_by_one(void **state)
{
	(void)state;
	given("egress", "h.example:8000");
	given("publish", "80:8000");
	refuses(spec_finish(&spec, &e), "inside", ERR_INPUT,
		"@egress_finish_check_inside#program --publish ... 8000 ... --egress");
	anew();
	given("allow-host", "8000");
	given("publish", "80:8000");
	refuses(spec_finish(&spec, &e), "host", ERR_INPUT,
		"@egress_finish_check_inside#program --publish ... 8000 ... --allow-host");
	anew();
	given("egress", "h.example:8001");
	given("publish", "8001:8000"); /* outside that is another machine */
	accepts(spec_finish(&spec, &e), "outside");
	anew();
	given("egress", "h.example:8001");
	given("publish", "53");
	refuses(spec_finish(&spec, &e), "53", ERR_INPUT, "@egress_finish_check_inside#sandbox 53");
	anew();
	given("publish", "53");
	accepts(spec_finish(&spec, &e), "53 without a list");
}

static void test_a_session_has_four_ports_of_its_own(void **state)
{
	(void)state;
	given("egress", "h.example:1");
	given("publish", "8080");
	accepts(spec_finish(&spec, &e), "run");
	spec.egress.is_session = true;
	refuses(spec_finish(&spec, &e), "session", ERR_INPUT, "@egress_finish_whose#every 8080");
	anew();
	spec.egress.is_session = true;
	given("publish", "8080");
	accepts(spec_finish(&spec, &e), "no list");
}

static void test_a_port_outside_is_published_once(void **state)
{
	(void)state;
	given("publish", "80:1");
	given("publish", "0.0.0.0:80:2");
	refuses(spec_finish(&spec, &e), "any", ERR_INPUT,
		"@egress_finish_check_outside --publish ... 0.0.0.0:80");
	anew();
	given("publish", "80:1");
	given("publish", "80:1");
	refuses(spec_finish(&spec, &e), "same", ERR_INPUT,
		"@egress_finish_check_outside 127.0.0.1:80");
	anew();
	given("publish", "127.0.0.2:80:1");
	given("publish", "80:1");
	given("publish", "[::]:80:1");
	given("publish", "1");
	given("publish", "1");
	accepts(spec_finish(&spec, &e), "others");
}

/* It says what there is without a list, which may stand beside it. */
static void test_network_none_is_what_there_is_anyway(void **state)
{
	static const char *const flags[][2] = {
		{"egress",     "a.example:1"},
                {"allow-host", "80"         },
                {"publish",    "80"         }
        };

	(void)state;
	for (size_t i = 0; i < COUNT(flags); i++) {
		anew();
		given(flags[i][0], flags[i][1]);
		given(i % 2 ? "net" : "network", "none");
		accepts(spec_finish(&spec, &e), flags[i][0]);
		assert_true(egress_is_wanted(&spec.egress));
	}
	anew();
	given("network", "none");
	accepts(spec_finish(&spec, &e), "alone");
	assert_false(egress_is_wanted(&spec.egress));
}

static void test_none_and_a_port_of_this_machine(void **state)
{
	(void)state;
	given("allow-host", "8080");
	given("egress", "none");
	accepts(spec_finish(&spec, &e), "after");
	anew();
	given("egress", "none");
	given("allow-host", "8080");
	accepts(spec_finish(&spec, &e), "before");
	refuses(flag("egress", "a.example"), "a.example", ERR_INPUT, "@egress_list_refuse_none");
}

static void test_a_log_needs_a_network(void **state)
{
	(void)state;
	given("egress-log", "file");
	refuses(spec_finish(&spec, &e), "log", ERR_INPUT,
		"@egress_finish_check_log --egress-log ... --egress");
	given("publish", "80");
	accepts(spec_finish(&spec, &e), "log");
	assert_string_equal(spec.egress.log.text, "file");
}

/* What is published goes through none. */
static void test_a_proxy_needs_a_list(void **state)
{
	(void)state;
	given("egress-proxy", "http://p:3128");
	refuses(spec_finish(&spec, &e), "proxy", ERR_INPUT,
		"@egress_proxy_finish --egress-proxy ... --egress");
	given("publish", "80");
	refuses(spec_finish(&spec, &e), "proxy", ERR_INPUT,
		"@egress_proxy_finish --egress-proxy ... --egress");
	given("egress", "none");
	accepts(spec_finish(&spec, &e), "proxy");
	assert_string_equal(spec.egress.proxy, "http://p:3128");
	given("egress-proxy", "none");
	assert_null(spec.egress.proxy);
}

static void add_ports(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char text[32];

		snprintf(text, sizeof(text), "h.example:%u", 1000 + i);
		given("egress", text);
	}
}

static void test_there_is_an_end_of_ports(void **state)
{
	(void)state;
	add_ports(EGRESS_MAX_PORTS);
	accepts(spec_finish(&spec, &e), "64");
	spec.egress.is_session = true;
	refuses(spec_finish(&spec, &e), "session", ERR_INPUT,
		"@egress_finish_check_count#different 60");
	spec.egress.is_session = false;
	given("egress", "h.example:1");
	refuses(spec_finish(&spec, &e), "65", ERR_INPUT, "@egress_finish_check_count#different 64");
}

/* It is one message. */
static void test_there_is_an_end_of_names(void **state)
{
	char text[300];

	(void)state;
	memset(text, 'a', sizeof(text));
	for (unsigned i = 0; i < 700; i++) {
		snprintf(text, sizeof(text), "%060d.%060d.%060d.example:443", (int)i, 7, 7);
		given("egress", text);
	}
	refuses(spec_finish(&spec, &e), "700", ERR_INPUT, "@egress_finish_check_count#names 120");
}

/* --- limits ----------------------------------------------------------------------------------- */

static void test_limits_and_their_defaults(void **state)
{
	(void)state;
	assert_int_equal(spec.egress.connections, EGRESS_CONNECTIONS);
	assert_int_equal(spec.egress.rate_bytes, 0);
	assert_int_equal(spec.egress.total_bytes, 0);
	assert_int_equal(spec.egress.log_bytes, EGRESS_LOG_BYTES);
	given("egress-rate", "1m");
	given("egress-bytes", "1g");
	given("egress-connections", "4096");
	assert_int_equal(spec.egress.rate_bytes, 1 << 20);
	assert_int_equal(spec.egress.total_bytes, 1 << 30);
	assert_int_equal(spec.egress.connections, EGRESS_MAX_CONNECTIONS);
	given("egress-rate", "0");
	assert_int_equal(spec.egress.rate_bytes, 0);
	refuses(flag("egress-connections", "0"), "0", ERR_INPUT, "@parse_int#range 1 ... 4096");
	refuses(flag("egress-connections", "4097"), "4097", ERR_INPUT,
		"@parse_int#range 1 ... 4096");
	refuses(flag("egress-rate", "-1"), "-1", ERR_INPUT, "");
	refuses(flag("egress-log", ""), "", ERR_INPUT, "@setting_value_text");
	accepts(spec_finish(&spec, &e), "limits of nothing");
}

/* Whoever runs several sandboxes of one command line gives each the same network. */
static void test_a_network_is_copied_as_a_whole(void **state)
{
	struct sandbox_spec copy;

	(void)state;
	given("egress", "a.example:443,db.internal:5432");
	given("allow-private", "db.internal");
	given("publish", "80:8000");
	given("egress-connections", "7");
	given("egress-proxy", "http://p:3128");
	spec_init(&copy);
	copy.egress.is_session = true;
	spec_copy_limits(&copy, &spec);
	accepts(spec_finish(&copy, &e), "copy");
	assert_true(copy.egress.has_list && copy.egress.is_session);
	assert_int_equal(copy.egress.rule_count, 2);
	assert_ptr_not_equal(copy.egress.rules, spec.egress.rules);
	assert_true(copy.egress.rules[1].allow_private);
	assert_false(spec.egress.rules[1].allow_private);
	assert_int_equal(copy.egress.published[0].port, 8000);
	assert_int_equal(copy.egress.connections, 7);
	assert_string_equal(copy.egress.proxy, "http://p:3128");
	spec_fini(&copy);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ports_are_published_on_loopback),
		TEST(test_what_is_no_port_is_refused),
		TEST(test_ports_of_this_machine_have_two_names),
		TEST(test_private_names_are_those_of_the_list),
		TEST(test_the_machine_itself_is_no_private_name),
		TEST(test_a_private_address_takes_its_own_word),
		TEST(test_the_rule_that_means_fewer_hosts_comes_first),
		TEST(test_a_port_is_listened_on_by_one),
		TEST(test_a_session_has_four_ports_of_its_own),
		TEST(test_a_port_outside_is_published_once),
		TEST(test_network_none_is_what_there_is_anyway),
		TEST(test_none_and_a_port_of_this_machine),
		TEST(test_a_log_needs_a_network),
		TEST(test_a_proxy_needs_a_list),
		TEST(test_there_is_an_end_of_ports),
		TEST(test_there_is_an_end_of_names),
		TEST(test_limits_and_their_defaults),
		TEST(test_a_network_is_copied_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
