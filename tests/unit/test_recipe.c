/*
 * test_recipe - recipes of images: keys, values, bases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../rootfs/debian/recipe.h"
#include "base/own.h"
#include "message_list.h"

static int parse(struct recipe *r, const char *text, struct err *e)
{
	*e = (struct err){0};
	return recipe_parse(r, text, strlen(text), e);
}

static void test_every_key_is_read(void **state)
{
	auto_recipe struct recipe r = {0};
	struct err e;

	(void)state;
	assert_int_equal(
		parse(&r,
		      "{\"description\":\"d\",\"base\":\"slim\",\"suite\":\"trixie\",\"stale_"
		      "days\":30,"
		      "\"apt\":[\"python3-numpy\",\"g++\"],\"pip\":[\"nltk==3.9\","
		      "\"a[b]>=1,<2\"],\"without\":[\"x\"],\"preload\":[\"matplotlib.pyplot\"],"
		      "\"pip_find_links\":\"/w\",\"env\":{\"A\":\"1=2\"}}",
		      &e),
		0);
	assert_string_equal(r.description, "d");
	assert_string_equal(r.base, "slim");
	assert_string_equal(r.suite, "trixie");
	assert_int_equal(r.stale_days, 30);
	assert_string_equal(r.pip_find_links, "/w");
	assert_int_equal(r.apt.count, 2);
	assert_string_equal(r.apt.items[1], "g++");
	assert_string_equal(r.pip.items[1], "a[b]>=1,<2");
	assert_string_equal(r.without.items[0], "x");
	assert_string_equal(r.preload.items[0], "matplotlib.pyplot");
	assert_string_equal(r.env.items[0], "A=1=2");
}

static void test_a_second_file_extends_the_first(void **state)
{
	auto_recipe struct recipe r = {0};
	struct err e;

	(void)state;
	assert_int_equal(parse(&r,
			       "{\"apt\":[\"aa\",\"bb\"],\"suite\":\"one\",\"env\":{\"A\":\"1\","
			       "\"B\":\"2\"}}",
			       &e),
			 0);
	assert_int_equal(
		parse(&r, "{\"apt\":[\"bb\",\"cc\"],\"suite\":\"two\",\"env\":{\"A\":\"3\"}}", &e),
		0);
	assert_int_equal(r.apt.count, 3);
	assert_string_equal(r.apt.items[2], "cc");
	assert_string_equal(r.suite, "two");
	assert_int_equal(r.env.count, 2);
	assert_string_equal(r.env.items[0], "A=3");
}

static void test_bad_recipes_are_refused_by_name(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{"",			       "JSON"			       },
		{"[]",			     "@recipe_parse"                      },
		{"{\"atp\":[]}",                   "\"atp\""                            },
		{"{\"apt\":\"x\"}",                "\"apt\""                            },
		{"{\"apt\":[1]}",                  "@recipe_parse_list#strings"         },
		{"{\"apt\":[\"-o\"]}",             "@LIST#1"                            },
		{"{\"apt\":[\"a b\"]}",            "@LIST#1"                            },
		{"{\"apt\":[\"?essential\"]}",     "@LIST#1"                            },
		{"{\"apt\":[\"./x.deb\"]}",        "@LIST#1"                            },
		{"{\"apt\":[\"a,b\"]}",            "@LIST#1"                            },
		{"{\"apt\":[\"\"]}",               "@LIST#1"                            },
		{"{\"pip\":[\"--index-url=x\"]}",  "@LIST#2"                            },
		{"{\"pip\":[\"http://x/y.whl\"]}", "@LIST#2"                            },
		{"{\"pip\":[\"a;b\"]}",            "@LIST#2"                            },
		{"{\"pip\":[\"$(id)\"]}",          "@LIST#2"                            },
		{"{\"without\":[\"../x\"]}",       "@LIST#1"                            },
		{"{\"preload\":[\"os;evil\"]}",    "module"                             },
		{"{\"suite\":\"../x\"}",           "suite"                              },
		{"{\"suite\":7}",                  "\"suite\""                          },
		{"{\"stale_days\":0}",             "@recipe_parse_stale_days"           },
		{"{\"stale_days\":-1}",            "@recipe_parse_stale_days"           },
		{"{\"stale_days\":1.5}",           "@recipe_parse_stale_days"           },
		{"{\"stale_days\":3651}",          "@recipe_parse_stale_days 1 ... 3650"},
		{"{\"stale_days\":\"30\"}",        "@recipe_parse_stale_days"           },
		{"{\"stale_days\":true}",          "@recipe_parse_stale_days"           },
		{"{\"env\":[]}",                   "\"env\""                            },
		{"{\"env\":{\"A\":1}}",            "\"A\""                              },
		{"{\"env\":{\"A=B\":\"1\"}}",      "variable"                           },
		{"{\"env\":{\"\":\"1\"}}",         "variable"                           },
		{"{\"description\":[]}",           "description"                        },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		auto_recipe struct recipe r = {0};
		struct err e;

		if (!parse(&r, bad[i].text, &e))
			fail_msg("accepted %s", bad[i].text);
		if (!message_is(e.text, bad[i].says))
			fail_msg("%s: \"%s\" does not say %s", bad[i].text, e.text, bad[i].says);
	}
}

/* The suites that the shipped recipes support; other suites depend on the mirror. */
static void test_every_suite_is_taken_and_the_last_one_wins(void **state)
{
	static const char *const suites[] = {"bullseye", "bookworm", "trixie", "sid"};
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		auto_recipe struct recipe r = {0};
		char text[64];

		assert_int_equal(parse(&r, "{\"suite\":\"jammy\",\"stale_days\":7}", &e), 0);
		snprintf(text, sizeof(text), "{\"suite\":\"%s\"}", suites[i]);
		assert_int_equal(parse(&r, text, &e), 0);
		assert_string_equal(r.suite, suites[i]);
		assert_int_equal(r.stale_days, 7);
	}
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_bases_come_first_and_loops_end(void **state)
{
	char dir[] = "/tmp/test-recipe-XXXXXX";
	char path[200];
	struct err e = {0};

	(void)state;
	assert_non_null(mkdtemp(dir));
	write_file(dir, "low.json",
		   "{\"apt\":[\"low\"],\"suite\":\"low\",\"env\":{\"A\":\"low\"}}");
	write_file(dir, "mid.json", "{\"base\":\"low\",\"apt\":[\"mid\"],\"env\":{\"A\":\"mid\"}}");
	write_file(dir, "top.json", "{\"base\":\"./mid.json\",\"apt\":[\"top\"]}");
	write_file(dir, "loop.json", "{\"base\":\"loop\"}");
	snprintf(path, sizeof(path), "%s/top.json", dir);
	{
		auto_recipe struct recipe r = {0};
		auto_recipe struct recipe loop = {0};
		auto_recipe struct recipe none = {0};

		assert_int_equal(recipe_load(&r, path, dir, &e), 0);
		assert_string_equal(r.name, "top");
		assert_string_equal(r.apt.items[0], "low");
		assert_string_equal(r.apt.items[1], "mid");
		assert_string_equal(r.apt.items[2], "top");
		assert_string_equal(r.suite, "low");
		assert_string_equal(r.env.items[0], "A=mid");
		assert_int_equal(recipe_load(&loop, "loop", dir, &e), -1);
		assert_non_null(strstr(e.text, "bases"));
		assert_int_equal(recipe_load(&none, "none", dir, &e), -1);
		assert_int_equal(e.kind, ERR_NOT_FOUND);
	}
	for (const char *const *n = (const char *const[]){"low", "mid", "top", "loop", NULL}; *n;
	     n++) {
		snprintf(path, sizeof(path), "%s/%s.json", dir, *n);
		unlink(path);
	}
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key_is_read),
		cmocka_unit_test(test_a_second_file_extends_the_first),
		cmocka_unit_test(test_bad_recipes_are_refused_by_name),
		cmocka_unit_test(test_every_suite_is_taken_and_the_last_one_wins),
		cmocka_unit_test(test_bases_come_first_and_loops_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
