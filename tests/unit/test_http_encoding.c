/*
 * test_http_encoding - who takes gzip, by his own words.
 */
#include "unit.h"

#include "serve/http_encoding.h"

static void test_who_takes_it(void **state)
{
	static const char *const yes[] = {
		"gzip",
		"GZIP",
		"x-gzip",
		"br, gzip",
		"gzip;q=1",
		"gzip;q=0.001",
		"gzip ; Q=0.5",
		"deflate,\tgzip;q=0.1 , br",
		"*",
		"*;q=0.5",
		",,gzip",
		"br;q=0, *",
		"gzip;q=1.000",
		"gzip;q=1.",
		"identity;q=0, *",
		"*;q=0, gzip",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++) {
		if (!http_encoding_has_gzip(yes[i]))
			fail_msg("%s", yes[i]);
	}
}

static void test_who_does_not(void **state)
{
	static const char *const no[] = {
		"",
		"identity",
		"br, deflate",
		"gzip;q=0",
		"gzip;q=0.0",
		"gzip;q=0.000",
		"gzip;q=0, *",
		"*;q=0",
		"gzipped",
		"agzip",
		"gzip;q=",
		"gzip;q=x",
		"gzip;q=-1",
		"gzip;q=2",
		"gzip;q=0.5x",
		"gzip;q=00",
		"gzip;q=0.1234",
		"gzip;level=9",
		"gzip x",
		";gzip",
		"br;gzip",
		"gz,ip",
	};

	(void)state;
	assert_false(http_encoding_has_gzip(NULL));
	for (size_t i = 0; i < COUNT(no); i++) {
		if (http_encoding_has_gzip(no[i]))
			fail_msg("%s", no[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_takes_it),
		cmocka_unit_test(test_who_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
