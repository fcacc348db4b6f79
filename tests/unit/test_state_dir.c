/*
 * test_state_dir - where what must stay is kept; and how a time is written.
 */
#include "unit.h"

#include "base/own.h"
#include "fs/state_dir.h"
#include "loop/clock.h"

static struct err e;

static void is_at(const char *named, const char *home, bool of_machine, const char *wanted)
{
	auto_free char *path = NULL;

	named ? setenv("XDG_STATE_HOME", named, 1) : unsetenv("XDG_STATE_HOME");
	home ? setenv("HOME", home, 1) : unsetenv("HOME");
	path = state_dir(of_machine, &e);
	if (wanted)
		assert_string_equal(path, wanted);
	else
		assert_null(path);
}

static void test_the_home_of_a_user(void **state)
{
	(void)state;
	is_at("/x/state", "/home/a", false, "/x/state/glovebox");
	is_at("relative", "/home/a", false, "/home/a/.local/state/glovebox");
	is_at("", "/home/a", false, "/home/a/.local/state/glovebox");
	is_at(NULL, "/home/a", false, "/home/a/.local/state/glovebox");
}

static void test_without_a_home_there_is_none(void **state)
{
	(void)state;
	is_at(NULL, NULL, false, NULL);
	assert_int_equal(e.kind, ERR_INPUT);
	assert_true(message_is(e.text, "@state_dir XDG_STATE_HOME"));
	is_at(NULL, "", false, NULL);
	is_at("x", "home", false, NULL);
}

static void test_what_root_keeps_for_the_machine(void **state)
{
	const bool is_root = geteuid() == 0;

	(void)state;
	is_at("/x", "/root", true, "/x/glovebox");
	is_at(NULL, "/h", true, is_root ? "/var/lib/glovebox" : "/h/.local/state/glovebox");
	is_at(NULL, NULL, true, is_root ? "/var/lib/glovebox" : NULL);
}

/* Digits are 0 here. */
static void has_form(const char *text, const char *form)
{
	assert_int_equal(strlen(text), strlen(form));
	for (size_t i = 0; form[i]; i++) {
		if (form[i] == '0')
			assert_in_range(text[i], '0', '9');
		else
			assert_int_equal(text[i], form[i]);
	}
}

static void test_times(void **state)
{
	char text[CLOCK_UTC_SIZE];

	(void)state;
	clock_utc(text);
	has_form(text, "0000-00-00T00:00:00Z");
	clock_utc_ms(text);
	has_form(text, "0000-00-00T00:00:00.000Z");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_home_of_a_user),
		cmocka_unit_test(test_without_a_home_there_is_none),
		cmocka_unit_test(test_what_root_keeps_for_the_machine),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests_name("state_dir", tests, NULL, NULL);
}
