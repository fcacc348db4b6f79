/*
 * test_sources - mirrors out of the two formats of apt's sources.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../rootfs/sources.h"

struct expected {
	bool deb822;
	const char *text;
	const char *lines[4];
};

static void test_mirrors_of_the_suite_are_found(void **state)
{
	static const struct expected cases[] = {
		{false,
		 "deb http://m/debian bookworm main contrib\n",				   {"deb http://m/debian trixie main"}         },
		{false,
		 "# c\n\n deb [arch=amd64 signed-by=/x] https://m/s bookworm-security main\n",    {"deb https://m/s trixie-security main"}    },
		{false, "deb-src http://m/debian bookworm main\n",                                {NULL}                                      },
		{false, "deb http://m/debian bookworm-backports main\n",                          {NULL}                                      },
		{false, "deb http://m/debian bookworm contrib\n",                                 {NULL}                                      },
		{false, "deb file:/srv/debian bookworm main\n",                                   {NULL}                                      },
		{false, "deb http://other/ nodistro main\ndeb\ndeb [x\ndeb http://m\n",           {NULL}                                      },
		{false,
		 "deb http://m/ubuntu bookworm main universe\n",				  {"deb http://m/ubuntu trixie main universe"}},
		{true,
		 "Types: deb deb-src\n# c\nURIs: http://m/debian\nSuites: bookworm\n "
		 "bookworm-updates\n"
		 "Components: main\nSigned-By: /k\n\nTypes: deb\nURIs: http://s\nSuites: "
		 "bookworm-security\nComponents: main\n",					 {"deb http://m/debian trixie main", "deb http://m/debian trixie-updates main",
		  "deb http://s trixie-security main"}                               },
		{true,
		 "Types: deb-src\nURIs: http://m\nSuites: bookworm\nComponents: main\n",          {NULL}				      },
		{true,
		 "Enabled: no\nTypes: deb\nURIs: http://m\nSuites: bookworm\nComponents: main\n", {NULL}				      },
		{true,  "",								       {NULL}				      },
		{true,  "Types:",								 {NULL}                                      },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		auto_list struct list lines = {0};
		size_t count = 0;

		sources_parse(cases[i].text, cases[i].deb822, "bookworm", "trixie", &lines);
		while (cases[i].lines[count])
			count++;
		assert_int_equal(lines.count, count);
		for (size_t j = 0; j < count; j++)
			assert_string_equal(lines.items[j], cases[i].lines[j]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirrors_of_the_suite_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
