/*
 * test_hostname - one spelling of a name, and what a pattern means.
 */
#include "unit.h"

#include "net/hostname.h"

#define L61 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define L63 L61 "bb"

static void test_names_have_one_spelling(void **state)
{
	static const char *const table[][2] = {
		{"example.org",                   "example.org"                 },
		{"EXAMPLE.Org",                   "example.org"                 },
		{"example.org.",                  "example.org"                 },
		{"db",			    "db"                          },
		{"a",			     "a"			   },
		{"Z.",			    "z"			   },
		{"a.b.c.d.e",                     "a.b.c.d.e"                   },
		{"xn--bcher-kva.example",         "xn--bcher-kva.example"       },
		{"_dmarc.example.org",            "_dmarc.example.org"          },
		{"my_host.internal",              "my_host.internal"            },
		{"r3---sn-4g5e6nzz.example.com",  "r3---sn-4g5e6nzz.example.com"},
		{"1.2.3.4.com",                   "1.2.3.4.com"                 },
		{"0x7f.example",                  "0x7f.example"                },
		{"7f000001",                      "7f000001"                    },
		{"0xg",			   "0xg"                         },
		{"1a",			    "1a"                          },
		{L63,			     L63			   },
		{L63 "." L63 "." L63 "." L61,     L63 "." L63 "." L63 "." L61   },
		{L63 "." L63 "." L63 "." L61 ".", L63 "." L63 "." L63 "." L61   },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char out[HOST_NAME_SIZE];
		char again[HOST_NAME_SIZE];

		if (host_name_canonical(table[i][0], strlen(table[i][0]), out))
			fail_msg("refused: %s", table[i][0]);
		assert_string_equal(out, table[i][1]);
		assert_int_equal(host_name_canonical(out, strlen(out), again), 0);
		assert_string_equal(out, again);
	}
}

static void test_what_is_no_name(void **state)
{
	static const char *const table[] = {
		"",
		".",
		"..",
		"a..b",
		".a",
		"a..",
		"*",
		"*.example.org",
		"a b",
		"a b.org",
		" a",
		"a ",
		"-a",
		"a-",
		"a-.org",
		"-a.org",
		"a.-b",
		"a/b",
		"a:80",
		"a@b",
		"a,b",
		"a%2eb",
		"a\\b",
		"a\tb",
		"a\n",
		"b\xc3\xbc"
		"cher.example",
		"a\x7f",
		"example\xe3\x80\x82org",
		"1.2.3.4",
		"1.2.3.4.",
		"127.1",
		"2130706433",
		"0",
		"a.1",
		"a.0x7f",
		"0x7f000001",
		"0x",
		"a.0x",
		"0X7F",
		"017700000001",
		"[::1]",
		"::1",
		"fe80::1%lo",
		L63 "c",
		L63 "c.org",
		L63 "." L63 "." L63 "." L61 "a",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char out[HOST_NAME_SIZE] = "untouched";

		if (!host_name_canonical(table[i], strlen(table[i]), out))
			fail_msg("accepted: %s", table[i]);
		assert_string_equal(out, "untouched");
	}
}

static void test_every_byte_but_those_of_names_is_refused(void **state)
{
	char out[HOST_NAME_SIZE];

	(void)state;
	for (int c = 0; c < 256; c++) {
		char text[] = {'a', (char)c, 'a'};
		bool is_good = c && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789-_.",
					   c);

		assert_int_equal(host_name_canonical(text, 3, out), is_good ? 0 : -1);
	}
	/* A name ends where its size says, with or without a NUL. */
	assert_int_equal(host_name_canonical("abcdef", 3, out), 0);
	assert_string_equal(out, "abc");
	assert_int_equal(host_name_canonical("a\0", 2, out), -1);
	assert_int_equal(host_name_canonical("a", SIZE_MAX, out), -1);
}

static void test_patterns_have_one_spelling(void **state)
{
	static const char *const bad[] = {
		"",
		"*",
		"*.",
		"*..",
		"**.a.org",
		"*a.org",
		"a.*.org",
		"a*.org",
		"*.*.org",
		"*.1.2.3.4",
		"*.-a",
		".*.a.org",
		"*." L63 "." L63 "." L63 "." L61,
	};
	char out[HOST_NAME_SIZE];

	(void)state;
	assert_int_equal(host_name_pattern_canonical("*.Example.ORG.", 14, out), 0);
	assert_string_equal(out, "*.example.org");
	assert_int_equal(host_name_pattern_canonical("A.org", 5, out), 0);
	assert_string_equal(out, "a.org");
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (!host_name_pattern_canonical(bad[i], strlen(bad[i]), out))
			fail_msg("accepted: %s", bad[i]);
	}
}

static void test_what_a_pattern_means(void **state)
{
	static const struct {
		const char *pattern;
		const char *name;
		bool is_match;
		size_t wild;
	} table[] = {
		{"a.org",   "a.org",      true,  0},
		{"a.org",   "b.org",      false, 0},
		{"a.org",   "x.a.org",    false, 0},
		{"a.org",   "a.org.evil", false, 0},
		{"a.org",   "",           false, 0},
		{"",        "",           false, 0},
		{"*.a.org", "x.a.org",    true,  1},
		{"*.a.org", "x.yz.a.org", true,  4},
		{"*.a.org", "a.org",      false, 0},
		{"*.a.org", ".a.org",     false, 0}, /* no canonical name, but never a match */
		{"*.a.org", "xa.org",     false, 0},
		{"*.a.org", "x.a.org.b",  false, 0},
		{"*.a.org", "x.b.org",    false, 0},
		{"*.a.org", "*.a.org",    true,  1}, /* no canonical name either */
		{"*.",      "a.",         false, 0},
		{"*",       "a",          false, 0},
		{"*.org",   "a.b.org",    true,  3},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		if (host_name_matches(table[i].pattern, table[i].name) != table[i].is_match)
			fail_msg("%s for %s", table[i].pattern, table[i].name);
		assert_int_equal(host_name_wild_bytes(table[i].pattern, table[i].name),
				 table[i].wild);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_have_one_spelling),
		cmocka_unit_test(test_what_is_no_name),
		cmocka_unit_test(test_every_byte_but_those_of_names_is_refused),
		cmocka_unit_test(test_patterns_have_one_spelling),
		cmocka_unit_test(test_what_a_pattern_means),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
