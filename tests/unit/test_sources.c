/*
 * test_sources - mirrors are read from both formats of apt's sources.
 */
#include "unit.h"

#include "../../rootfs/debian/sources.h"
#include "../../rootfs/debian/suites.h"

struct expected {
	bool deb822;
	const char *text;
	const char *lines[4];
};

/* Returns the mirrors that are read from sources in one file. */
static void read_sources(const char *text, bool deb822, const char *suite, struct list *lines)
{
	const char *name = deb822 ? "a.sources" : "a.list";
	char config[512];
	char path[300];
	struct err e;
	int fd = unit_enter();

	snprintf(config, sizeof(config),
		 "Dir::Etc::sourcelist \"%s/%s\"; Dir::Etc::sourceparts \"/dev/null\";",
		 unit_directory, name);
	snprintf(path, sizeof(path), "%s/apt.conf", unit_directory);
	unit_write(fd, "apt.conf", config, strlen(config));
	unit_write(fd, name, text, strlen(text));
	setenv("APT_CONFIG", path, 1);
	assert_int_equal(sources_read("bookworm", suite, lines, &e), 0);
	unsetenv("APT_CONFIG");
	unit_leave(fd);
}

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
		{false,
		 "deb http://m/debian/ bookworm main\ndeb http://m/debian bookworm main\n",       {"deb http://m/debian trixie main"}         },
		{false,
		 "deb http://m/ubuntu bookworm universe\ndeb http://m/ubuntu bookworm main\n",    {"deb http://m/ubuntu trixie main universe"}},
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

		read_sources(cases[i].text, cases[i].deb822, "trixie", &lines);
		while (cases[i].lines[count])
			count++;
		assert_int_equal(lines.count, count);
		for (size_t j = 0; j < count; j++)
			assert_string_equal(lines.items[j], cases[i].lines[j]);
	}
}

static void test_a_rolling_suite_has_nothing_beside_it(void **state)
{
	auto_list struct list lines = {0};

	(void)state;
	read_sources(
		"deb http://resident.example/sid bookworm main\n"
		"deb http://resident.example/sid bookworm-updates main\n"
		"deb http://resident.example/s bookworm-security main\n",
		false, "sid", &lines);
	assert_int_equal(lines.count, 1);
	assert_string_equal(lines.items[0], "deb http://resident.example/sid sid main");
}

static void test_official_mirrors(void **state)
{
	static const struct {
		bool ubuntu;
		const char *suite;
		const char *lines[4];
	} cases[] = {
		{false,
		 "bullseye",        {"deb http://deb.debian.org/debian bullseye main",
		  "deb http://deb.debian.org/debian bullseye-updates main",
		  "deb http://deb.debian.org/debian-security bullseye-security main"}},
		{false, "sid",      {"deb http://deb.debian.org/debian sid main"}                                },
		{false, "unstable", {"deb http://deb.debian.org/debian unstable main"}                           },
		{true,
		 "noble",           {"deb http://archive.ubuntu.com/ubuntu noble main universe",
		  "deb http://archive.ubuntu.com/ubuntu noble-updates main universe",
		  "deb http://security.ubuntu.com/ubuntu noble-security main universe"} },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		auto_list struct list lines = {0};

		sources_official(cases[i].ubuntu, cases[i].suite, &lines);
		for (size_t j = 0; j < lines.count; j++)
			assert_string_equal(lines.items[j], cases[i].lines[j]);
		assert_null(cases[i].lines[lines.count]);
	}
}

static void test_debians_suites_are_known(void **state)
{
	static const char *const debians[] = {"bullseye", "bookworm", "trixie", "sid"};

	(void)state;
	for (size_t i = 0; i < sizeof(debians) / sizeof(debians[0]); i++) {
		assert_true(suite_is_debians(debians[i]));
		assert_int_equal(suite_is_rolling(debians[i]), !strcmp(debians[i], "sid"));
	}
	assert_false(suite_is_debians("noble"));
	assert_false(suite_is_rolling("noble"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirrors_of_the_suite_are_found),
		cmocka_unit_test(test_a_rolling_suite_has_nothing_beside_it),
		cmocka_unit_test(test_official_mirrors),
		cmocka_unit_test(test_debians_suites_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
