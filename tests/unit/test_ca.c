/*
 * test_ca - which texts are bundles of certificates.
 */
#include "unit.h"

#include "spec/ca.h"

#define ONE   "-----BEGIN CERTIFICATE-----\nMIIB\nAAA=\n-----END CERTIFICATE-----\n"
#define KEY   "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"
#define OTHER "-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n"

static struct err e;

static void test_bundles(void **state)
{
	static const char *const good[] = {
		ONE,
		ONE ONE,
		"# a comment\n" ONE "between\n\n" ONE "behind",
		"-----BEGIN CERTIFICATE-----\r\nMIIB\r\n-----END CERTIFICATE-----\r\n",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		accepts(ca_check(good[i], "file", &e), good[i]);
}

static void test_what_is_none(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{"",							       "@ca_check#-----"  },
		{"MIIB\n",							 "@ca_check#-----"  },
		{"-----END CERTIFICATE-----\n",                                    "@ca_check#-----"  },
		{"-----BEGIN CERTIFICATE-----",                                    "@ca_check#block 1"},
		{"-----BEGIN CERTIFICATE-----\n",                                  "@ca_check#block 1"},
		{"-----BEGIN CERTIFICATE-----\nMIIB\n",                            "@ca_check#block 1"},
		{"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",       "@ca_check#block 1"},
		{"-----BEGIN CERTIFICATE-----\nM!IB\n-----END CERTIFICATE-----\n",
		 "@ca_check#block 1"								  },
		{"-----BEGIN CERTIFICATE-----\nAIIB\n-----END CERTIFICATE-----\n",
		 "@ca_check#block 1"								  },
		{"-----BEGIN CERTIFICATE-----\nMIIB\n-----END RSA-----\n",         "@ca_check#block 1"},
		{ONE "-----BEGIN CERTIFICATE-----\nMIIB\n" ONE,                    "@ca_check#block 2"},
		{ONE OTHER,							"@ca_check#block 2"},
		{ONE "-----BEGIN ",						"@ca_check#block 2"},
		{KEY,							      "@ca_check#private"},
		{ONE KEY,							  "@ca_check#private"},
		{"-----BEGIN RSA PRIVATE KEY-----\n" ONE,                          "@ca_check#private"},
		{"-----BEGIN ENCRYPTED PRIVATE KEY-----\n",                        "@ca_check#private"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		refuses(ca_check(bad[i].text, "file", &e), bad[i].text, ERR_INPUT, bad[i].says);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bundles),
		cmocka_unit_test(test_what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
