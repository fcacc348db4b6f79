/*
 * test_server_url - every form of OLLAMA_HOST, and what is refused.
 */
#include "unit.h"

#include "agent/server/server_url.h"

static struct err e;

static void test_forms(void **state)
{
	static const struct {
		const char *text;
		const char *base;
	} table[] = {
		{NULL,				"http://127.0.0.1:11434"                  },
		{"",				  "http://127.0.0.1:11434"                  },
		{"  ",				"http://127.0.0.1:11434"                  },
		{"\"\"",			      "http://127.0.0.1:11434"                  },
		{"localhost",                         "http://localhost:11434"                  },
		{"localhost:8080",                    "http://localhost:8080"                   },
		{" 'localhost:8080'\n",               "http://localhost:8080"                   },
		{":8080",			     "http://127.0.0.1:8080"                   },
		{"http://:8080",                      "http://127.0.0.1:8080"                   },
		{"1.2.3.4",                           "http://1.2.3.4:11434"                    },
		{"1.2.3.4:56789",                     "http://1.2.3.4:56789"                    },
		{"example.com",                       "http://example.com:11434"                },
		{"http://example.com",                "http://example.com:80"                   },
		{"http://example.com:11434",          "http://example.com:11434"                },
		{"HTTP://Example.com",                "http://Example.com:80"                   },
		{"https://example.com",               "https://example.com:443"                 },
		{"https://example.com:8443/",         "https://example.com:8443"                },
		{"example.com/ollama",                "http://example.com:11434/ollama"         },
		{"example.com/ollama/",               "http://example.com:11434/ollama"         },
		{"example.com//",                     "http://example.com:11434"                },
		{"https://example.com/a/b//",         "https://example.com:443/a/b"             },
		{"example.com:56789/path",            "http://example.com:56789/path"           },
		{"ollama.com",                        "https://ollama.com:443"                  },
		{"http://ollama.com",                 "http://ollama.com:80"                    },
		{"ollama.com:11434",                  "http://ollama.com:11434"                 },
		{"0.0.0.0",                           "http://127.0.0.1:11434"                  },
		{"0.0.0.0:8080",                      "http://127.0.0.1:8080"                   },
		{"http://0.0.0.0",                    "http://127.0.0.1:80"                     },
		{"::",				"http://[::1]:11434"                      },
		{"[::]",			      "http://[::1]:11434"                      },
		{"[::]:8080",                         "http://[::1]:8080"                       },
		{"http://[0:0:0:0:0:0:0:0]:1/x",      "http://[::1]:1/x"                        },
		{"::1",			       "http://[::1]:11434"                      },
		{"[::1]",			     "http://[::1]:11434"                      },
		{"[::1]:1337",                        "http://[::1]:1337"                       },
		{"https://[2001:db8::1]",             "https://[2001:db8::1]:443"               },
		{"[2001:0db8:85a3::8a2e:370:7334]:1", "http://[2001:0db8:85a3::8a2e:370:7334]:1"},
		{"gpu_box-1.lan:00080",               "http://gpu_box-1.lan:80"                 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct server_url url;

		accepts(server_url_parse(table[i].text, &url, &e),
			table[i].text ? table[i].text : "NULL");
		assert_string_equal(url.base, table[i].base);
		assert_string_equal(url.warning, "");
		assert_int_equal(url.https, !strncmp(url.base, "https", 5));
	}
}

static void test_a_port_that_is_none_becomes_the_usual_one(void **state)
{
	static const struct {
		const char *text;
		const char *base;
	} table[] = {
		{"example.com:",              "http://example.com:11434"},
		{"example.com:0",             "http://example.com:11434"},
		{"example.com:65536",         "http://example.com:11434"},
		{"example.com:-1",            "http://example.com:11434"},
		{"example.com:66000",         "http://example.com:11434"},
		{"example.com:port",          "http://example.com:11434"},
		{"example.com:1e3",           "http://example.com:11434"},
		{"http://example.com:x",      "http://example.com:80"   },
		{"https://example.com:99999", "https://example.com:443" },
		{"[::1]:x",                   "http://[::1]:11434"      },
		{":18446744073709551617",     "http://127.0.0.1:11434"  },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct server_url url;

		accepts(server_url_parse(table[i].text, &url, &e), table[i].text);
		assert_string_equal(url.base, table[i].base);
		assert_non_null(strstr(url.warning, "invalid port"));
	}
}

static void test_what_no_url_can_be_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} table[] = {
		{"ftp://example.com",       "@server_url_take_scheme"},
		{"file:///etc/passwd",      "@server_url_take_scheme"},
		{"unix:///run/ollama.sock", "@server_url_take_scheme"},
		{"://example.com",          "@server_url_take_scheme"},
		{"http://user:pw@host",     "@server_url_split#user" },
		{"user@host",               "@server_url_split#user" },
		{"exa mple.com",            "character"              },
		{"example.com/a\r\nX-Y: z", "character"              },
		{"example.com?x=1",         "character"              },
		{"example.com/#x",          "character"              },
		{"ex\xc3\xa4mple.com",      "character"              },
		{"a\x01",                   "character"              },
		{"[::1",                    "@server_url_split#not"  },
		{"::1]",                    "@server_url_split#not"  },
		{"[example.com]",           "@server_url_split#not"  },
		{"[]",                      "@server_url_split#not"  },
		{"[::1]x:80",               "@server_url_split#not"  },
		{"a:b:c",                   "@server_url_split#not"  },
		{"exa%6dple.com",           "@server_url_split#not"  },
		{"fe80::1%eth0",            "@server_url_split#not"  },
		{"a,b",                     "@server_url_split#not"  },
	};
	struct server_url url;
	char text[600] = "";

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		refuses(server_url_parse(table[i].text, &url, &e), table[i].text, ERR_INPUT,
			table[i].why);
	memset(text, 'a', sizeof(text) - 1);
	refuses(server_url_parse(text, &url, &e), "long", ERR_INPUT, "@server_url_trim#longer");
	text[300] = '\0';
	refuses(server_url_parse(text, &url, &e), "long host", ERR_INPUT, "@server_url_split#long");
}

static void test_what_is_of_this_machine(void **state)
{
	static const char *const here[] = {
		"",         "localhost", "LOCALHOST:1",       "127.0.0.1", "::1",
		"[::1]:80", "127.9.9.9", "https://localhost", "0.0.0.0"};
	static const char *const there[] = {"example.com",           "128.0.0.1", "10.0.0.1", "::2",
					    "localhost.example.com", "ollama.com"};
	struct server_url url;

	(void)state;
	for (size_t i = 0; i < COUNT(here); i++) {
		accepts(server_url_parse(here[i], &url, &e), here[i]);
		assert_true(url.loopback);
	}
	for (size_t i = 0; i < COUNT(there); i++) {
		accepts(server_url_parse(there[i], &url, &e), there[i]);
		assert_false(url.loopback);
	}
}

static void test_port_80_is_known_to_be_nobodys_wish(void **state)
{
	struct server_url url;

	(void)state;
	accepts(server_url_parse("http://gpu", &url, &e), "http://gpu");
	assert_true(url.port_80);
	accepts(server_url_parse("http://gpu:80", &url, &e), "http://gpu:80");
	assert_false(url.port_80);
	accepts(server_url_parse("gpu", &url, &e), "gpu");
	assert_false(url.port_80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_a_port_that_is_none_becomes_the_usual_one),
		cmocka_unit_test(test_what_no_url_can_be_is_refused),
		cmocka_unit_test(test_what_is_of_this_machine),
		cmocka_unit_test(test_port_80_is_known_to_be_nobodys_wish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
