/*
 * test_list - texts that become a list.
 */
#include "unit.h"

#include "base/list.h"

static void test_each_line_is_one_without_its_end(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		const char *last;
	} texts[] = {
		{"a\nb\n", 2, "b"},
                {"a\nb",   2, "b"},
                {"a\n\n",  2, "" },
		{"\n",     1, "" },
                {"a",      1, "a"},
	};
	auto_list struct list none = {0};

	(void)state;
	list_add_lines(&none, "");
	assert_int_equal(none.count, 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		auto_list struct list lines = {0};

		list_add_lines(&lines, texts[i].text);
		assert_int_equal(lines.count, texts[i].count);
		assert_string_equal(lines.items[lines.count - 1], texts[i].last);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_line_is_one_without_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
