/*
 * test_json_span - where values stand, in every kind of container and with space anywhere.
 */
#include "unit.h"

#include <string.h>

#include "base/json_span.h"

static void assert_span(struct json_span span, const char *expected)
{
	if (!expected) {
		assert_null(span.text);
		return;
	}
	assert_non_null(span.text);
	assert_int_equal(span.length, strlen(expected));
	assert_memory_equal(span.text, expected, span.length);
}

static struct json_span whole(const char *text)
{
	return json_span_of(text, strlen(text));
}

static void test_a_document_is_one_value(void **state)
{
	(void)state;
	assert_span(whole(" 1.0 "), "1.0");
	assert_span(whole("\t\"a b\"\r\n"), "\"a b\"");
	assert_span(whole("[1, [2]] "), "[1, [2]]");
	assert_span(whole("  "), NULL);
}

static void test_members_are_found_as_they_were_written(void **state)
{
	static const struct {
		const char *text;
		const char *id;
	} rows[] = {
		{"{\"id\":1}",				"1"                             },
		{" { \"a\" : {\"id\":2} , \"id\" :  -7 } ",   "-7"                            },
		{"{\"a\":\"\\\"id\\\":3\",\"id\":\"x,}\"}",   "\"x,}\""                       },
		{"{\"a\":[{\"id\":1},\"]\"],\"id\":[1 , 2]}", "[1 , 2]"                       },
		{"{\"id\":123456789012345678901234567890}",   "123456789012345678901234567890"},
		{"{\"id\":null,\"id\":2}",                    "null"                          },
		{"{\"a\":1}",				 NULL                            },
		{"{\"\\u0069d\":1}",                          NULL                            },
		{"{}",					NULL			    },
		{"[\"id\",1]",				NULL                            },
		{"\"id\"",				    NULL                            },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_span(json_span_member(whole(rows[i].text), "id"), rows[i].id);
	assert_span(json_span_member(json_span_member(whole("{\"a\":1}"), "b"), "id"), NULL);
}

static void test_elements_follow_each_other(void **state)
{
	struct json_span all = whole(" [ 1 ,\"a,]\", [2,3],{\"b\":[ ]} , null ] ");
	struct json_span one = json_span_next(all, (struct json_span){0});

	(void)state;
	assert_span(one, "1");
	assert_span(one = json_span_next(all, one), "\"a,]\"");
	assert_span(one = json_span_next(all, one), "[2,3]");
	assert_span(one = json_span_next(all, one), "{\"b\":[ ]}");
	assert_span(one = json_span_next(all, one), "null");
	assert_span(json_span_next(all, one), NULL);
	assert_span(json_span_next(whole("[ ]"), (struct json_span){0}), NULL);
	assert_span(json_span_next(whole("{}"), (struct json_span){0}), NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_document_is_one_value),
		cmocka_unit_test(test_members_are_found_as_they_were_written),
		cmocka_unit_test(test_elements_follow_each_other),
	};

	return cmocka_run_group_tests_name("json_span", tests, NULL, NULL);
}
