/*
 * test_media_type - Content-Type and Accept, as clients write them.
 */
#include "unit.h"

#include "web/media_type.h"

#define JSON   "application/json"
#define EVENTS "text/event-stream"

static void test_a_type_is_told_whatever_its_parameters(void **state)
{
	(void)state;
	assert_true(media_type_is(JSON, JSON));
	assert_true(media_type_is("Application/JSON; charset=utf-8", JSON));
	assert_true(media_type_is("application/json ;x", JSON));
	assert_false(media_type_is(NULL, JSON));
	assert_false(media_type_is("", JSON));
	assert_false(media_type_is(";application/json", JSON));
	assert_false(media_type_is("application/json5", JSON));
	assert_false(media_type_is("application", JSON));
}

static void test_what_is_accepted(void **state)
{
	static const char *const yes[] = {
		NULL,
		JSON,
		EVENTS ", " JSON,
		"text/html;q=0.9 ,\tAPPLICATION/Json;q=0.1",
		"*/*",
		"text/html, */*;q=0.8",
		"application/*",
		",," JSON,
	};
	static const char *const no[] = {
		"",
		EVENTS,
		"text/html",
		"application/json5",
		"application",
		"application/",
		"*",
		"*/json",
		"text/*",
		"text/html;x=application/json",
		",",
		";application/json",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(media_type_is_accepted(yes[i], JSON));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(media_type_is_accepted(no[i], JSON));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_type_is_told_whatever_its_parameters),
		cmocka_unit_test(test_what_is_accepted),
	};

	return cmocka_run_group_tests_name("media_type", tests, NULL, NULL);
}
