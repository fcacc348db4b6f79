/*
 * test_json_put - every value at every place, parsed again and compared byte by byte.
 */
#include "unit.h"

#include "base/json.h"
#include "base/json_put.h"

static void test_commas_come_by_themselves(void **state)
{
	auto_buf struct buf out = {0};

	(void)state;
	json_put_begin(&out, NULL, '{');
	json_put_text(&out, "a", "{");
	json_put_text(&out, "b", NULL);
	json_put_bytes(&out, "c", "x\0\"[", 4);
	json_put_uint(&out, "d", UINT64_MAX);
	json_put_int(&out, "e", INT64_MIN);
	json_put_bool(&out, "f", true);
	json_put_begin(&out, "g", '[');
	json_put_end(&out, ']');
	json_put_begin(&out, "h", '[');
	json_put_bool(&out, NULL, false);
	json_put_null(&out, NULL);
	json_put_begin(&out, NULL, '{');
	json_put_end(&out, '}');
	json_put_begin(&out, NULL, '[');
	json_put_uint(&out, NULL, 0);
	json_put_text(&out, NULL, ":");
	json_put_text(&out, NULL, "");
	json_put_end(&out, ']');
	json_put_end(&out, ']');
	json_put_key(&out, "\"\n");
	buf_text(&out, "1.5");
	json_put_begin(&out, "i", '{');
	json_put_text(&out, "j", ",");
	json_put_end(&out, '}');
	json_put_end(&out, '}');
	assert_string_equal(buf_string(&out),
			    "{\"a\":\"{\",\"b\":null,\"c\":\"x\\u0000\\\"[\","
			    "\"d\":18446744073709551615,\"e\":-9223372036854775808,\"f\":true,"
			    "\"g\":[],\"h\":[false,null,{},[0,\":\",\"\"]],\"\\\"\\n\":1.5,"
			    "\"i\":{\"j\":\",\"}}");
}

static void test_a_shape_has_every_value(void **state)
{
	auto_buf struct buf out = {0};
	struct err e;
	auto_json struct json *node = json_parse("[1,{}]", 6, &e);

	json_put(&out, "{a:%s, b:%s, c-d:%.*s, e:[%d, %u, %ld, %lu, %lld, %llu, %zu]", "{",
		 (const char *)*state, 2, "x\"y", -1, 1u, INT64_MIN, UINT64_MAX, -2ll, 2ull,
		 (size_t)3);
	json_put(&out, "f:{%s:%i, g:%i}, h:[%p, %p], i:{}, j:[]", "\"", true, false, (void *)node,
		 (void *)NULL);
	json_put(&out, "k:'a, b', l:'', m:-1, n:null, o:[true, false, 1.5]}");
	assert_string_equal(
		buf_string(&out),
		"{\"a\":\"{\",\"b\":null,\"c-d\":\"x\\\"\",\"e\":[-1,1,-9223372036854775808,"
		"18446744073709551615,-2,2,3],\"f\":{\"\\\"\":true,\"g\":false},\"h\":[[1,{}],"
		"null],\"i\":{},\"j\":[],\"k\":\"a, b\",\"l\":\"\",\"m\":-1,\"n\":null,"
		"\"o\":[true,false,1.5]}");
}

static void test_lines_are_documents(void **state)
{
	auto_buf struct buf out = {0};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		json_put_begin(&out, NULL, '{');
		json_put_uint(&out, "i", i);
		json_put_end(&out, '}');
		buf_text(&out, "\n");
	}
	assert_string_equal(buf_string(&out), "{\"i\":0}\n{\"i\":1}\n");
}

/*
 * Whether a comma is needed is seen from the last byte, so no text may end like an opening bracket.
 */
static void test_every_byte_at_the_end_of_a_text(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		auto_buf struct buf out = {0};
		struct err e;
		struct json *json;
		char byte = (char)c;

		json_put_begin(&out, NULL, '[');
		json_put_bytes(&out, NULL, &byte, 1);
		json_put_uint(&out, NULL, c);
		json_put_end(&out, ']');
		if (!c)
			continue; /* cJSON would end the text here */
		json = json_parse(out.data, out.length, &e);
		assert_non_null(json);
		assert_int_equal(json_count(json), 2);
		json_free(json);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commas_come_by_themselves),
		cmocka_unit_test(test_a_shape_has_every_value),
		cmocka_unit_test(test_lines_are_documents),
		cmocka_unit_test(test_every_byte_at_the_end_of_a_text),
	};

	return cmocka_run_group_tests_name("json_put", tests, NULL, NULL);
}
