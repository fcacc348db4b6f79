/*
 * test_fetch_cause - the word that a failed download leaves behind becomes an error with a remedy.
 */
#include "unit.h"

#include "../../rootfs/debian/fetch_cause.h"

static struct err e;
static int build = -1;

static int make_build(void **state)
{
	(void)state;
	build = unit_enter();
	return 0;
}

static int remove_build(void **state)
{
	(void)state;
	unit_leave(build);
	return 0;
}

static int failed_step(void)
{
	err_set(&e, ERR_SYSTEM, "the step failed");
	return fetch_cause(unit_directory, "sid", &e);
}

static void test_known_words_have_a_remedy(void **state)
{
	static const struct {
		const char *word;
		const char *says;
	} cases[] = {
		{"expired\n",     "--stale-days DAYS"        },
                {"early\n",       "clock"                    },
		{"unreachable\n", "http_proxy"               },
                {"missing\n",     "http://archive.debian.org"},
		{"unsigned\n",    "@causes#trusts"           },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		unit_write(build, "cause", cases[i].word, strlen(cases[i].word));
		refuses(failed_step(), cases[i].word, ERR_UNSUPPORTED, cases[i].says);
		assert_true(message_is(e.text, "@fetch_cause sid"));
		assert_true(strlen(e.text) + 1 < sizeof(e.text));
	}
}

static void test_the_culprit_is_named(void **state)
{
	static const char *const words[] = {"package", "pip", "pip-missing", "pip-unreachable",
					    "pip-conflict"};

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		char text[64];
		int n = snprintf(text, sizeof(text), "%s\nnumpy==99 scipy\nmore", words[i]);

		unit_write(build, "cause", text, (size_t)n);
		refuses(failed_step(), words[i], ERR_NOT_FOUND, "numpy==99 scipy: ");
		assert_null(strstr(e.text, "more"));
	}
}

/* If the word is too long, unknown, or a link to elsewhere, the error stays as it was. */
static void test_anything_else_changes_nothing(void **state)
{
	static const char *const words[] = {"",
					    "\n",
					    "expire",
					    "expired ",
					    "\x1b[2Jexpired",
					    "expiredexpiredexpiredexpiredexpiredexpired"};

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		unit_write(build, "cause", words[i], strlen(words[i]));
		refuses(failed_step(), words[i], ERR_SYSTEM, "the step failed");
	}
	assert_int_equal(unlinkat(build, "cause", 0), 0);
	refuses(failed_step(), "nothing there", ERR_SYSTEM, "the step failed");
	unit_write(build, "other", "expired", 7);
	assert_int_equal(symlinkat("other", build, "cause"), 0);
	refuses(failed_step(), "a link", ERR_SYSTEM, "the step failed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_words_have_a_remedy),
		cmocka_unit_test(test_the_culprit_is_named),
		cmocka_unit_test(test_anything_else_changes_nothing),
	};

	return cmocka_run_group_tests(tests, make_build, remove_build);
}
