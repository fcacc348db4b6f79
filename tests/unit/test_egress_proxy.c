/*
 * test_egress_proxy - the URL of a proxy, the file that says it, what the proxy is asked, and what
 * it may answer.
 */
#include "unit.h"

#include <sys/stat.h>

#include "base/own.h"
#include "egress/proxy.h"
#include "netpolicy/egress_proxy.h"
#include "protocol/proxy_answer.h"
#include "spec/egress_flags.h"
#include "spec/egress_proxy_flag.h"

static struct err e;

/* --- the URL -------------------------------------------------------------------------------- */

static void test_urls(void **state)
{
	static const struct {
		const char *url;
		const char *name; /* "": an address */
		const char *secret;
		const char *written;
		uint16_t port;
	} rows[] = {
		{"http://proxy.bank:3128",           "proxy.bank", "",            "http://proxy.bank:3128",  3128 },
		{"http://Proxy.Bank.:3128/",         "proxy.bank", "",            "http://Proxy.Bank.:3128", 3128 },
		{"http://proxy:1",                   "proxy",      "",            "http://proxy:1",          1    },
		{"http://127.0.0.1:65535",           "",           "",            "http://127.0.0.1:65535",  65535},
		{"http://[::1]:3128",                "",           "",            "http://[::1]:3128",       3128 },
		{"http://me@10.0.0.1:80",            "",           "me:",         "http://10.0.0.1:80",      80   },
		{"http://me:pass@p:80",              "p",          "me:pass",     "http://p:80",             80   },
		{"http://me:@p:80",                  "p",          "me:",         "http://p:80",             80   },
		{"http://m%65:a%40b%3Ac%2f%25@p:80", "p",          "me:a@b:c/%",  "http://p:80",             80   },
		{"http://me:a:b@p:80",               "p",          "me:a:b",      "http://p:80",             80   },
		{"http://me:%c3%a9@p:80",            "p",          "me:\xc3\xa9", "http://p:80",             80   },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct egress_proxy found;
		auto_buf struct buf text = {0};

		accepts(egress_proxy_parse(rows[i].url, &found, &e), rows[i].url);
		assert_string_equal(found.name, rows[i].name);
		assert_string_equal(found.secret, rows[i].secret);
		assert_int_equal(found.port, rows[i].port);
		egress_proxy_write(rows[i].url, &text);
		assert_string_equal(buf_string(&text), rows[i].written);
	}
}

static void test_what_is_no_url_of_a_proxy(void **state)
{
	static const struct {
		const char *url;
		const char *says;
	} rows[] = {
		{"",			      "@egress_proxy_parse#no"     },
		{"proxy:3128",                    "@egress_proxy_parse#no"     },
		{"https://proxy:3128",            "@egress_proxy_parse#no"     },
		{"HTTP://proxy:3128",             "@egress_proxy_parse#no"     },
		{"socks5://proxy:1080",           "@egress_proxy_parse#no"     },
		{"http://",                       "@egress_proxy_place"        },
		{"http://proxy",                  "@egress_proxy_place"        },
		{"http://proxy:",                 "@egress_proxy_place"        },
		{"http://proxy:0",                "@egress_proxy_place"        },
		{"http://proxy:65536",            "@egress_proxy_place"        },
		{"http://proxy:+80",              "@egress_proxy_place"        },
		{"http://proxy:00000080",         "@egress_proxy_place"        },
		{"http://proxy:80/path",          "@egress_proxy_place"        },
		{"http://proxy:80//",             "@egress_proxy_place"        },
		{"http://proxy:80?q",             "@egress_proxy_place"        },
		{"http://:80",                    "@egress_proxy_host#neither" },
		{"http://[proxy]:80",             "@egress_proxy_host#neither" },
		{"http://[10.0.0.1]:80",          "@egress_proxy_host#neither" },
		{"http://::1:80",                 "@egress_proxy_host#neither" },
		{"http://0177.0.0.1:80",          "@egress_proxy_host#neither" },
		{"http://a\r\nb:80",              "@egress_proxy_host#neither" },
		{"http://*.bank:80",              "@egress_proxy_host#neither" },
		{"http://@p:80",                  "@egress_proxy_secret#3"     },
		{"http://:secret@p:80",           "@egress_proxy_secret#3"     },
		{"http://me:secret@@p:80",        "@egress_proxy_secret#spells"},
		{"http://me:sec/ret@p:80",        "@egress_proxy_secret#spells"},
		{"http://me:sec ret@p:80",        "@egress_proxy_secret#spells"},
		{"http://me:secret%@p:80",        "@egress_proxy_secret#spells"},
		{"http://me:secret%4@p:80",       "@egress_proxy_secret#spells"},
		{"http://me:secret%zz@p:80",      "@egress_proxy_secret#spells"},
		{"http://me:secret%0d%0a@p:80",   "@egress_proxy_secret#spells"},
		{"http://me:secret%00@p:80",      "@egress_proxy_secret#spells"},
		{"http://me:secret\xc3\xa9@p:80", "@egress_proxy_secret#spells"},
		{"http://m%3Ae:secret@p:80",      "@egress_proxy_secret#spells"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct egress_proxy found;

		refuses(egress_proxy_parse(rows[i].url, &found, &e), rows[i].url, ERR_INPUT,
			rows[i].says);
		assert_null(strstr(e.text, "secret"));
	}
}

static void test_bounds_of_a_url(void **state)
{
	struct egress_proxy found;
	char url[EGRESS_PROXY_URL + 100] = "http://";
	size_t at = strlen(url);

	(void)state;
	memset(url + at, 'u', EGRESS_PROXY_SECRET - 2);
	strcpy(url + at + EGRESS_PROXY_SECRET - 2, "@p:80");
	accepts(egress_proxy_parse(url, &found, &e), "the longest user");
	assert_int_equal(strlen(found.secret), EGRESS_PROXY_SECRET - 1);
	memset(url + at, 'u', EGRESS_PROXY_SECRET - 1);
	strcpy(url + at + EGRESS_PROXY_SECRET - 1, "@p:80");
	refuses(egress_proxy_parse(url, &found, &e), "longer", ERR_INPUT,
		"@egress_proxy_secret#long");
	memset(url + at, 'h', sizeof(url) - at - 1);
	refuses(egress_proxy_parse(url, &found, &e), "much longer", ERR_INPUT,
		"@egress_proxy_parse#long");
	strcpy(url + at + HOST_NAME_SIZE, ":80");
	refuses(egress_proxy_parse(url, &found, &e), "host", ERR_INPUT, "@egress_proxy_host#long");
}

/* --- the file ------------------------------------------------------------------------------- */

#define FILE_PATH "glovebox/egress.d/" EGRESS_PROXY_FILE

/* The proxy of a spec with a list when the file says this. */
static int finish(int dir_fd, const char *says, struct sandbox_spec *s)
{
	if (says)
		unit_write(dir_fd, FILE_PATH, says, strlen(says));
	assert_int_equal(egress_flag_list(s, "a.example", &e), 0);
	return egress_proxy_finish(s, &e);
}

static void test_a_file_is_the_default(void **state)
{
	static const struct {
		const char *says;
		const char *proxy;
	} rows[] = {
		{NULL,                     NULL                    },
		{"http://p:3128\n",        "http://p:3128"         },
		{"http://me:a%20b@p:3128", "http://me:a%20b@p:3128"},
		{"none\n",                 NULL                    },
	};
	const int dir_fd = unit_enter();

	(void)state;
	assert_int_equal(mkdirat(dir_fd, "glovebox", 0755), 0);
	assert_int_equal(mkdirat(dir_fd, "glovebox/egress.d", 0755), 0);
	setenv("XDG_CONFIG_HOME", unit_directory, 1);
	setenv("https_proxy", "http://other:1", 1);
	setenv("HTTPS_PROXY", "http://other:1", 1);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct sandbox_spec s;

		spec_init(&s);
		accepts(finish(dir_fd, rows[i].says, &s), rows[i].says);
		if (rows[i].proxy)
			assert_string_equal(s.egress.proxy, rows[i].proxy);
		else
			assert_null(s.egress.proxy);
		spec_fini(&s);
	}
	unit_leave(dir_fd);
}

static void test_a_file_that_is_wrong(void **state)
{
	static const char *const wrong[] = {"", "\n", "proxy:3128\n", "https://me:secret@p:1\n"};
	const int dir_fd = unit_enter();
	struct sandbox_spec s;

	(void)state;
	assert_int_equal(mkdirat(dir_fd, "glovebox", 0755), 0);
	assert_int_equal(mkdirat(dir_fd, "glovebox/egress.d", 0755), 0);
	setenv("XDG_CONFIG_HOME", unit_directory, 1);
	spec_init(&s);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		refuses(finish(dir_fd, wrong[i], &s), wrong[i], ERR_INPUT,
			"@egress_proxy_parse#no " EGRESS_PROXY_FILE);
		assert_null(strstr(e.text, "secret"));
	}
	unit_write(dir_fd, FILE_PATH, "http://p:1\0", 11);
	refuses(finish(dir_fd, NULL, &s), "NUL", ERR_INPUT,
		"@egress_preset_check " EGRESS_PROXY_FILE);
	assert_int_equal(fchmodat(dir_fd, FILE_PATH, 0666, 0), 0);
	refuses(finish(dir_fd, "http://p:1\n", &s), "others", ERR_INPUT,
		"@egress_preset_open#others");
	spec_fini(&s);
	unit_leave(dir_fd);
}

/* --- what it is asked ----------------------------------------------------------------------- */

static void asked(const char *url, const char *name, const char *address, const char *wanted)
{
	struct proxy proxy;
	struct address where = {0};
	auto_buf struct buf text = {0};

	accepts(proxy_open(url, &proxy, &e), url);
	assert_int_equal(proxy.count, 1);
	if (address)
		assert_int_equal(address_parse(address, &where), 0);
	proxy_request(&proxy, name, &where, 443, &text);
	assert_string_equal(buf_string(&text), wanted);
	proxy_close(&proxy);
	proxy_close(&proxy);
}

static void test_requests(void **state)
{
	(void)state;
	asked("http://127.0.0.1:3128", "a.example", NULL,
	      "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
	asked("http://[::1]:3128", NULL, "93.184.216.34",
	      "CONNECT 93.184.216.34:443 HTTP/1.1\r\nHost: 93.184.216.34:443\r\n\r\n");
	asked("http://me:p%40ss@10.0.0.1:3128", NULL, "2606:2800::34",
	      "CONNECT [2606:2800::34]:443 HTTP/1.1\r\nHost: [2606:2800::34]:443\r\n"
	      "Proxy-Authorization: Basic bWU6cEBzcw==\r\n\r\n");
}

/* /etc/hosts has it wherever tests run. */
static void test_a_proxy_with_a_name(void **state)
{
	struct proxy proxy;
	struct address v4;
	struct address v6;

	(void)state;
	assert_int_equal(address_parse("127.0.0.1", &v4) | address_parse("::1", &v6), 0);
	accepts(proxy_open("http://localhost:3128", &proxy, &e), "localhost");
	assert_true(proxy.count >= 1 && proxy.count <= PROXY_MAX_ADDRESSES);
	for (size_t i = 0; i < proxy.count; i++)
		assert_true(address_equal(&proxy.addresses[i], &v4) ||
			    address_equal(&proxy.addresses[i], &v6));
	proxy_close(&proxy);
	refuses(proxy_open("http://me:secret@p", &proxy, &e), "no port", ERR_INPUT,
		"--egress-proxy: no port");
}

/* --- what it answers ------------------------------------------------------------------------ */

#define HEAD_200 "HTTP/1.1 200 OK\r\n"

static void test_answers(void **state)
{
	static const struct {
		const char *text;
		const char *behind; /* the server's; NULL: the head has not ended */
		int status;
	} table[] = {
		{HEAD_200 "\r\n",							 "",         200},
		{HEAD_200 "\r\nhello",						    "hello",    200},
		{HEAD_200 "\r\n\r\n\r\n",						 "\r\n\r\n", 200},
		{HEAD_200 "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello", "hello",
		 200										     },
		{"HTTP/1.0 200\r\n\r\nhello",                                             "hello",    200},
		{"HTTP/1.1 100 Continue\r\nA: b\r\n\r\n" HEAD_200 "\r\nx",                "x",        200},
		{"",								      NULL,       0  },
		{HEAD_200,								NULL,       200},
		{HEAD_200 "A: b\r\n",						     NULL,       200},
		{HEAD_200 "A: b\r\n\r",						   NULL,       200},
		{"HTTP/1.1 100 Continue\r\n\r\n",                                         NULL,       0  },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		const uint8_t *bytes = (const uint8_t *)table[i].text;
		const size_t size = strlen(table[i].text);
		const size_t head = size - (table[i].behind ? strlen(table[i].behind) : 0);
		const enum proxy_answer_state wanted = table[i].behind ? PROXY_OPEN : PROXY_MORE;
		struct proxy_answer at_once = {0};
		struct proxy_answer by_byte = {0};
		size_t used;
		size_t sum = 0;

		if (proxy_answer_feed(&at_once, bytes, size, &used) != wanted)
			fail_msg("%s: %d", table[i].text, at_once.state);
		assert_int_equal(used, head);
		assert_int_equal(at_once.status.status, table[i].status);
		for (size_t j = 0; j < size; j++) {
			(void)proxy_answer_feed(&by_byte, bytes + j, 1, &used);
			sum += used;
		}
		assert_int_equal(by_byte.state, wanted);
		assert_int_equal(sum, head);
	}
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text;
		int status;
	} table[] = {
		{"HTTP/1.1 403 Forbidden\r\n",                                403},
		{"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",        407},
		{"HTTP/1.1 201 Created\r\n\r\n",                              201},
		{"HTTP/1.1 101 Switching Protocols\r\n\r\n",                  101},
		{"HTTP/1.1 301 Moved\r\n",                                    301},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 502 Bad Gateway\r\n", 502},
		{"SSH-2.0-x\r\n",					     -1 },
		{"HTTP/2 200 OK\r\n\r\n",                                     -1 },
		{"\r\n" HEAD_200 "\r\n",                                      -1 },
		{"HTTP/1.1 200 OK\n",					 -1 },
		{HEAD_200 "\n",					       -1 },
		{HEAD_200 "A: b\n\r\n",                                       -1 },
		{HEAD_200 "A: b\r\r\n\r\n",                                   -1 },
		{HEAD_200 "A: b\rc\r\n\r\n",                                  -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		const uint8_t *bytes = (const uint8_t *)table[i].text;
		const size_t size = strlen(table[i].text);
		struct proxy_answer reader = {0};
		size_t used;

		if (proxy_answer_feed(&reader, bytes, size, &used) != PROXY_REFUSED)
			fail_msg("%s: %d", table[i].text, reader.state);
		assert_int_equal(reader.status.status, table[i].status);
		assert_int_equal(reader.why != NULL, table[i].status == -1);
		assert_int_equal(proxy_answer_feed(&reader, (const uint8_t *)HEAD_200, 5, &used),
				 PROXY_REFUSED);
		assert_int_equal(used, 0);
	}
}

/* The longest head that there may be, and one byte more. */
static void test_a_head_has_an_end(void **state)
{
	static uint8_t bytes[PROXY_ANSWER_MAX + 1];
	const size_t lines = strlen(HEAD_200);

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, HEAD_200, lines);
	for (size_t more = 0; more < 2; more++) {
		const size_t size = PROXY_ANSWER_MAX + more;
		struct proxy_answer reader = {0};
		size_t used;

		memset(bytes + lines, 'x', sizeof(bytes) - lines);
		memcpy(bytes + size - 4, "\r\n\r\n", 4);
		assert_int_equal(proxy_answer_feed(&reader, bytes, size, &used),
				 more ? PROXY_REFUSED : PROXY_OPEN);
		assert_int_equal(used, size);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_what_is_no_url_of_a_proxy),
		cmocka_unit_test(test_bounds_of_a_url),
		cmocka_unit_test(test_a_file_is_the_default),
		cmocka_unit_test(test_a_file_that_is_wrong),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_a_proxy_with_a_name),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_a_head_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
