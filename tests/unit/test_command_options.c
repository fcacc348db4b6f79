/*
 * test_command_options - flags of the small commands.
 */
#include "unit.h"

#include "cli/options.h"

#define WORDS 8

struct filled {
	const char *name;
	bool loud;
	const char *size;
};

static const struct option options[] = {
	{"--name", "NAME", offsetof(struct filled, name),       ""},
	{"--loud",        NULL,       offsetof(struct filled,                  loud), ""},
	{"--size",      "SIZE",            offsetof(struct filled,                           size),                           ""},
	{NULL,   NULL,       0,   NULL},
};

static struct err e;

static int count(const char *const *words)
{
	int n = 0;

	while (words[n])
		n++;
	return n;
}

static int take(const char *const *words, struct filled *out)
{
	*out = (struct filled){.name = "default"};
	e = (struct err){0};
	return options_take(options, out, count(words), (char **)words, &e);
}

static void test_values_apart_and_behind_an_equals_sign(void **state)
{
	const char *const words[] = {"do", "--name", "a", "--size=b=c", "operand", "--loud", NULL};
	struct filled f;

	(void)state;
	assert_int_equal(take(words, &f), 4);
	assert_string_equal(f.name, "a");
	assert_string_equal(f.size, "b=c");
	assert_false(f.loud); /* it stands behind the operand */
}

static void test_switches(void **state)
{
	const struct {
		const char *word;
		int taken;
		bool on;
	} table[] = {
		{"--loud",       2,  true },
                {"--loud=true",  2,  true },
                {"--loud=false", 2,  false},
		{"--loud=0",     2,  false},
                {"--loud=no",    -1, false},
                {"--loud=",      -1, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		const char *const words[] = {"do", table[i].word, NULL};
		struct filled f;

		assert_int_equal(take(words, &f), table[i].taken);
		if (table[i].taken > 0)
			assert_int_equal(f.loud, table[i].on);
		else
			assert_non_null(strstr(e.text, "--loud"));
	}
}

static void test_unknown_and_incomplete_ones_are_named(void **state)
{
	const char *const unknown[] = {"do", "--nam", "x", NULL};
	const char *const incomplete[] = {"do", "--size", NULL};
	struct filled f;

	(void)state;
	assert_int_equal(take(unknown, &f), -1);
	assert_string_equal(f.name, "default");
	assert_non_null(strstr(e.text, "--nam is no flag of do: there are --name, --loud, --size"));
	assert_int_equal(take(incomplete, &f), -1);
	assert_non_null(strstr(e.text, "--size needs a value"));
}

static void test_a_dash_is_an_operand(void **state)
{
	const char *const words[] = {"do", "-", NULL};
	const char *const ended[] = {"do", "--", NULL};
	struct filled f;

	(void)state;
	assert_int_equal(take(words, &f), 1);
	assert_int_equal(take(ended, &f), 1);
}

static void test_split_leaves_the_rest_in_order(void **state)
{
	char *words[WORDS] = {(char *)"do", (char *)"-v",      (char *)"--loud", (char *)"--name",
			      (char *)"a",  (char *)"--other", (char *)"image"};
	struct filled f = {0};
	int argc = 7;

	(void)state;
	assert_int_equal(options_split(options, &f, &argc, words, &e), 0);
	assert_int_equal(argc, 4);
	assert_string_equal(words[1], "-v");
	assert_string_equal(words[2], "--other");
	assert_string_equal(words[3], "image");
	assert_null(words[4]);
	assert_true(f.loud);
	assert_string_equal(f.name, "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_apart_and_behind_an_equals_sign),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_unknown_and_incomplete_ones_are_named),
		cmocka_unit_test(test_a_dash_is_an_operand),
		cmocka_unit_test(test_split_leaves_the_rest_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
