/*
 * test_session_memory - a limit survives the way to the supervisor and back; nothing else is taken.
 */
#include "unit.h"

#include "cell/session.h"

static struct err e;

static int read_text(const char *text, struct session *out)
{
	struct json *json = json_parse(text, strlen(text), &e);
	int bad;

	assert_non_null(json);
	*out = session_none();
	bad = session_read_memory(json, out, &e);
	json_free(json);
	return bad;
}

static void test_what_is_written_is_read(void **state)
{
	static const uint64_t limits[] = {0, 1, 512u << 20, (1ull << 53) + 1, SPEC_UNLIMITED};

	(void)state;
	for (size_t i = 0; i < COUNT(limits); i++) {
		struct session s = session_none();
		struct session back;
		struct buf text = {0};

		s.memory_bytes = limits[i];
		buf_text(&text, "{\"op\":1");
		session_write_memory(&s, &text);
		buf_text(&text, "}");
		accepts(read_text(buf_string(&text), &back), "what was written");
		assert_true(back.memory_bytes == limits[i]);
		buf_fini(&text);
	}
}

static void test_anything_else_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "x", "-1", "+1", " 1", "1 ", "1x", "18446744073709551616",
	};
	struct session s;
	char text[200];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		snprintf(text, sizeof(text), "{\"memory\":\"%s\"}", bad[i]);
		refuses(read_text(text, &s), bad[i], ERR_INPUT, "memory limit");
	}
	refuses(read_text("{}", &s), "nothing", ERR_INPUT, "memory limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_anything_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
