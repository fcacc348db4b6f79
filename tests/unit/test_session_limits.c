/*
 * test_session_limits - limits survive the way to the supervisor and back; nothing else is taken.
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
	bad = session_read_limits(json, out, &e);
	json_free(json);
	return bad;
}

static void test_what_is_written_is_read(void **state)
{
	struct session s = session_none();
	struct session back;
	struct buf text = {0};

	(void)state;
	s.uid = UINT32_MAX - 1;
	s.gid = 7;
	s.limits = (struct limits){.memory_bytes = SPEC_UNLIMITED,
				   .swap_bytes = 0,
				   .pids = (1ull << 53) + 1,
				   .cpu_quota_us = 1,
				   .cpu_period_us = 100000};
	buf_text(&text, "{\"op\":1");
	session_write_limits(&s, &text);
	buf_text(&text, "}");
	accepts(read_text(buf_string(&text), &back), "what was written");
	assert_int_equal(back.uid, s.uid);
	assert_int_equal(back.gid, s.gid);
	assert_true(back.limits.memory_bytes == SPEC_UNLIMITED);
	assert_true(back.limits.swap_bytes == 0);
	assert_true(back.limits.pids == (1ull << 53) + 1);
	assert_true(back.limits.cpu_quota_us == 1 && back.limits.cpu_period_us == 100000);
	buf_fini(&text);
}

static void test_anything_else_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"1 2 3 4",
		"1 2 3 4 5 6",
		"1 2 3 4 x",
		"-1 2 3 4 5",
		" 1 2 3 4 5",
		"1 2 3 4 18446744073709551616",
		"1  2 3 4 5",
		"1 2 3 4 5 ",
	};
	struct session s;
	char text[200];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		snprintf(text, sizeof(text),
			 "{\"inside_uid\":1,\"inside_gid\":1,\"limits\":\"%s\"}", bad[i]);
		refuses(read_text(text, &s), bad[i], ERR_INPUT, "limits");
	}
	refuses(read_text("{}", &s), "nothing", ERR_INPUT, "limits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_anything_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
