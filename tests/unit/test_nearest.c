/*
 * test_nearest - names that were nearly typed.
 */
#include "unit.h"

#include "base/nearest.h"

static const char *find(const char *word)
{
	static const char *const names[] = {"run",  "memory",  "memory-swap",
					    "name", "network", "env"};
	struct nearest n = nearest_to(word, strlen(word));

	for (size_t i = 0; i < COUNT(names); i++)
		nearest_try(&n, names[i]);
	return n.name ? n.name : "";
}

static void test_a_slip_is_understood(void **state)
{
	static const char *const table[][2] = {
		{"rnu",         "run"        },
		{"rin",         "run"        },
		{"ru",          "run"        },
		{"memroy",      "memory"     },
		{"memor",       "memory"     },
		{"memoryy",     "memory"     },
		{"memory_swap", "memory-swap"},
		{"nmae",        "name"       },
		{"netwokr",     "network"    },
		{"mmry",        "memory"     },
		{"memory",      "memory"     },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		assert_string_equal(find(table[i][0]), table[i][1]);
}

static void test_another_word_is_not_taken_for_a_slip(void **state)
{
	static const char *const table[] = {
		"",         "r",
		"nonsense", "frobnicate",
		"what",     "abc",
		"mmmmmm",   "nope",
		"init",     "an-option-that-is-longer-than-any-of-ours-will-ever-be",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		assert_string_equal(find(table[i]), "");
}

static void test_a_word_is_not_read_beyond_its_length(void **state)
{
	struct nearest n = nearest_to("memory=64m", 6);

	(void)state;
	nearest_try(&n, "memory");
	assert_string_equal(n.name, "memory");
	assert_int_equal(n.distance, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_slip_is_understood),
		cmocka_unit_test(test_another_word_is_not_taken_for_a_slip),
		cmocka_unit_test(test_a_word_is_not_read_beyond_its_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
