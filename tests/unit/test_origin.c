/*
 * test_origin - which hosts and pages may speak to a server, case by case.
 */
#include "unit.h"

#include "web/origin.h"

#define FOREIGN "@origin_check#page"
#define NOT_US  "@origin_check#machine"
#define NO_HOST "@origin_check#malformed"

static struct origin_rules rules;
static enum origin_listen listens;
static struct err e;
static const char *cors;

static int begin(void **state)
{
	(void)state;
	rules = (struct origin_rules){0};
	listens = LISTEN_LOOPBACK;
	return 0;
}

static int end(void **state)
{
	(void)state;
	origin_rules_fini(&rules);
	return 0;
}

static int check(const char *method, const char *host, const char *origin)
{
	const struct origin_request request = {listens, method, host, origin};

	cors = "not set";
	return origin_check(&rules, &request, &cors, &e);
}

static void test_names_of_this_machine(void **state)
{
	static const char *const ours[] = {
		"localhost",       "localhost:8000", "LocalHost:1",       "a.localhost",
		"a.b.localhost:9", "127.0.0.1",      "127.0.0.1:80",      "127.255.255.254:65535",
		"[::1]",           "[::1]:8000",     "[0:0:0:0:0:0:0:1]",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(ours); i++) {
		accepts(check("POST", ours[i], NULL), ours[i]);
		assert_null(cors);
	}
	accepts(check("GET", NULL, NULL), "HTTP/1.0");
}

static void test_other_names_on_loopback(void **state)
{
	static const char *const others[] = {
		"example.com",
		"example.com:8000",
		"localhost.example.com",
		"xlocalhost",
		".localhost",
		"127.0.0.1.x.com",
		"128.0.0.1",
		"126.255.255.255",
		"0.0.0.0",
		"[::]",
		"[::2]",
		"[::ffff:127.0.0.1]",
		"127.1",
		"0x7f.0.0.1",
		"2130706433",
		"localhost.",
		"127.0.0.1.",
		"10.0.0.1:8000",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++) {
		refuses(check("GET", others[i], NULL), others[i], ERR_DENIED, NOT_US);
		assert_null(strstr(e.text, others[i]));
	}
	listens = LISTEN_PUBLIC;
	for (size_t i = 0; i < COUNT(others); i++)
		accepts(check("GET", others[i], NULL), others[i]);
	listens = LISTEN_UNIX;
	accepts(check("POST", "example.com", NULL), "behind a proxy");
}

static void test_what_is_no_host(void **state)
{
	static const char *const bad[] = {
		"",
		":8000",
		"localhost:",
		"localhost:0",
		"localhost:65536",
		"[::1",
		"::1",
		"[::1]8000",
		"[::1%lo]",
		"[localhost]",
		"a b",
		"localhost:80x",
		"user@localhost",
		"localhost/",
		"localhost, evil.com",
		"evil.com#",
		"localhost\t",
		"http://localhost",
		"loc\xc3\xa4lhost",
		"localhost:000080",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		refuses(check("GET", bad[i], NULL), bad[i], ERR_INPUT, NO_HOST);
	listens = LISTEN_PUBLIC;
	for (size_t i = 0; i < COUNT(bad); i++)
		refuses(check("GET", bad[i], NULL), bad[i], ERR_INPUT, NO_HOST);
}

static void test_names_that_were_given(void **state)
{
	static const char *const bad[] = {"",  "a:80",          "http://a", "a/b",
					  "*", "*.example.com", "[::1"};

	(void)state;
	accepts(origin_add_host(&rules, "Box.Example.com", &e), "name");
	accepts(origin_add_host(&rules, "[fd00::1]", &e), "address");
	accepts(check("POST", "box.example.com:8000", NULL), "given");
	accepts(origin_add_host(&rules, ".e2b.test", &e), "all below");
	accepts(check("POST", "49983-i0a.E2B.test:8443", NULL), "below");
	refuses(check("POST", "e2b.test", NULL), "itself", ERR_DENIED, NOT_US);
	refuses(check("POST", "xe2b.test", NULL), "beside", ERR_DENIED, NOT_US);
	accepts(check("POST", "[fd00::1]:8000", NULL), "given");
	refuses(check("POST", "example.com", NULL), "above", ERR_DENIED, NOT_US);
	refuses(check("POST", "x.box.example.com", NULL), "below", ERR_DENIED, NOT_US);
	for (size_t i = 0; i < COUNT(bad); i++)
		refuses(origin_add_host(&rules, bad[i], &e), bad[i], ERR_INPUT, "@origin_add_host");
}

/* Its own page: same host, same port, either scheme. */
static void test_the_own_origin(void **state)
{
	static const struct {
		const char *host;
		const char *origin;
	} own[] =
		{
			{"localhost:8000", "http://localhost:8000" },
			{"localhost:8000", "HTTP://LOCALHOST:8000" },
			{"localhost:8443", "https://localhost:8443"},
			{"localhost",      "http://localhost"      },
			{"localhost:80",   "http://localhost"      },
			{"localhost",      "https://localhost"     },
			{"[::1]:8000",     "http://[::1]:8000"     },
        },
	  foreign[] = {
		  {"localhost:8000", "http://localhost"},
		  {"localhost:8000", "http://localhost:8001"},
		  {"localhost:8000", "http://127.0.0.1:8000"},
		  {"localhost:8000", "http://evil.com"},
		  {"localhost:8000", "http://localhost:8000.x.y"},
		  {"localhost:8000", "http://localhost:8000/"},
		  {"localhost:8000", "http://x@localhost:8000"},
		  {"localhost:8000", "ftp://localhost:8000"},
		  {"localhost:8000", "localhost:8000"},
		  {"localhost:8000", "null"},
		  {"localhost:8000", ""},
		  {"localhost:8000", "file://"},
		  {"localhost:8000", "http://localhost:8000 http://evil.com"},
		  {"localhost", "http://localhost:443"},
		  {NULL, "http://localhost:8000"},
	  };
	static const enum origin_listen everywhere[] = {LISTEN_LOOPBACK, LISTEN_UNIX,
							LISTEN_PUBLIC};

	(void)state;
	for (size_t k = 0; k < COUNT(everywhere); k++) {
		listens = everywhere[k];
		for (size_t i = 0; i < COUNT(own); i++) {
			accepts(check("POST", own[i].host, own[i].origin), own[i].origin);
			assert_null(cors);
		}
		for (size_t i = 0; i < COUNT(foreign); i++)
			refuses(check("POST", foreign[i].host, foreign[i].origin),
				foreign[i].origin, ERR_DENIED, FOREIGN);
	}
}

static void test_a_foreign_page_changes_nothing(void **state)
{
	static const char *const change[] = {"POST", "PUT", "PATCH", "DELETE", "get", "TRACE", ""};
	static const char *const look[] = {"GET", "HEAD", "OPTIONS"};

	(void)state;
	for (size_t i = 0; i < COUNT(change); i++)
		refuses(check(change[i], "localhost", "https://evil.com"), change[i], ERR_DENIED,
			FOREIGN);
	for (size_t i = 0; i < COUNT(look); i++) {
		accepts(check(look[i], "localhost", "https://evil.com"), look[i]);
		assert_null(cors);
	}
}

static void test_origins_that_were_given(void **state)
{
	static const char *const bad[] = {"*",
					  "null",
					  "",
					  "evil.com",
					  "https://",
					  "https://a/",
					  "https://a:443",
					  "http://a:80",
					  "https://*.a",
					  "ftp://a"};

	(void)state;
	accepts(origin_add_cors(&rules, "https://tools.example", &e), "origin");
	accepts(origin_add_cors(&rules, "http://localhost:3000", &e), "origin");
	accepts(check("POST", "localhost:8000", "https://tools.example"), "POST");
	assert_string_equal(cors, "https://tools.example");
	accepts(check("OPTIONS", "localhost:8000", "http://localhost:3000"), "OPTIONS");
	assert_string_equal(cors, "http://localhost:3000");
	accepts(check("GET", "localhost:8000", "http://tools.example"), "another scheme");
	assert_null(cors);
	refuses(check("POST", "localhost:8000", "http://tools.example"), "another scheme",
		ERR_DENIED, FOREIGN);
	refuses(check("GET", "evil.com", "https://tools.example"), "host", ERR_DENIED, NOT_US);
	assert_null(cors);
	for (size_t i = 0; i < COUNT(bad); i++)
		refuses(origin_add_cors(&rules, bad[i], &e), bad[i], ERR_INPUT, "@origin_add_cors");
}

/* Over TLS of ours a page that came without it is from elsewhere: somebody on the way can be it. */
static void test_pages_over_tls(void **state)
{
	(void)state;
	listens = LISTEN_PUBLIC;
	accepts(check("POST", "box.example", "http://box.example"),
		"a proxy speaks TLS, or nobody");
	rules.is_tls = true;
	accepts(check("POST", "box.example:8443", "https://box.example:8443"), "ours");
	accepts(check("POST", "box.example", "https://box.example:443"), "ours");
	refuses(check("POST", "box.example", "http://box.example"), "http", ERR_DENIED, FOREIGN);
	refuses(check("POST", "box.example:80", "http://box.example"), "http", ERR_DENIED, FOREIGN);
	refuses(check("POST", "box.example:8443", "http://box.example:8443"), "http", ERR_DENIED,
		FOREIGN);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names_of_this_machine, begin, end),
		cmocka_unit_test_setup_teardown(test_other_names_on_loopback, begin, end),
		cmocka_unit_test_setup_teardown(test_what_is_no_host, begin, end),
		cmocka_unit_test_setup_teardown(test_pages_over_tls, begin, end),
		cmocka_unit_test_setup_teardown(test_names_that_were_given, begin, end),
		cmocka_unit_test_setup_teardown(test_the_own_origin, begin, end),
		cmocka_unit_test_setup_teardown(test_a_foreign_page_changes_nothing, begin, end),
		cmocka_unit_test_setup_teardown(test_origins_that_were_given, begin, end),
	};

	return cmocka_run_group_tests_name("origin", tests, NULL, NULL);
}
