/*
 * test_conversation - which messages stay when the context is full.
 */
#include "unit.h"

#include "agent/tell/conversation.h"

static struct conversation c;

static int begin(void **state)
{
	(void)state;
	c = (struct conversation){0};
	conversation_set_system(&c, "system");
	conversation_add_task(&c, "task");
	return 0;
}

static int end(void **state)
{
	(void)state;
	conversation_fini(&c);
	return 0;
}

static void add(enum chat_role role, const char *text)
{
	struct chat_message m = chat_message_make(role, text);

	conversation_add(&c, &m);
	assert_null(m.content);
}

/* A reply of about 100 tokens and its result. */
static void add_round(const char *name)
{
	char text[400];

	snprintf(text, sizeof(text), "%s%*s", name, 100, "");
	for (size_t i = strlen(name); i < 300; i++)
		text[i] = i % 3 ? 'x' : '+';
	text[300] = '\0';
	add(CHAT_ASSISTANT, text);
	snprintf(text, sizeof(text), "result of %s", name);
	add(CHAT_USER, text);
}

static void is_at(size_t i, enum chat_role role, const char *text)
{
	assert_true(i < c.count);
	assert_int_equal(c.messages[i].role, role);
	if (strncmp(c.messages[i].content, text, strlen(text)))
		fail_msg("message %zu is %s", i, c.messages[i].content);
}

static void test_what_fits_stays(void **state)
{
	(void)state;
	add_round("one");
	assert_true(conversation_trim(&c, 100000));
	assert_int_equal(c.count, 4);
	assert_int_equal(c.dropped, 0);
}

static void test_the_oldest_round_goes_first(void **state)
{
	(void)state;
	add_round("one");
	add_round("two");
	add_round("three");
	assert_true(conversation_trim(&c, conversation_tokens(&c) - 1));
	assert_int_equal(c.count, 6);
	assert_int_equal(c.dropped, 2);
	is_at(0, CHAT_SYSTEM, "system");
	is_at(1, CHAT_USER, "task");
	is_at(2, CHAT_ASSISTANT, "two");
	is_at(3, CHAT_USER, "result of two");
	is_at(4, CHAT_ASSISTANT, "three");
}

static void test_system_task_and_two_rounds_stay_whatever_the_budget(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		add_round("round");
	assert_false(conversation_trim(&c, 1));
	assert_int_equal(c.count, 6);
	is_at(0, CHAT_SYSTEM, "system");
	is_at(1, CHAT_USER, "task");
	is_at(2, CHAT_ASSISTANT, "round");
}

static void test_fewer_than_two_rounds_all_stay(void **state)
{
	(void)state;
	add_round("one");
	assert_false(conversation_trim(&c, 1));
	assert_int_equal(c.count, 4);
}

static void test_calls_go_with_their_results(void **state)
{
	struct chat_message calls = chat_message_make(CHAT_ASSISTANT, "");

	(void)state;
	calls.calls = calloc(2, sizeof(*calls.calls));
	calls.call_count = 2;
	for (size_t i = 0; i < 2; i++) {
		calls.calls[i].name = strdup("execute_python");
		calls.calls[i].arguments = strdup("{\"code\": \"print(1)\"}");
	}
	conversation_add(&c, &calls);
	add(CHAT_TOOL, "1");
	add(CHAT_TOOL, "1");
	add_round("two");
	add_round("three");
	assert_true(conversation_trim(&c, conversation_tokens(&c) - 1));
	assert_int_equal(c.dropped, 3);
	is_at(2, CHAT_ASSISTANT, "two");
}

static void test_earlier_tasks_go_the_current_one_stays(void **state)
{
	(void)state;
	add_round("one");
	add(CHAT_ASSISTANT, "answer one");
	conversation_add_task(&c, "second task");
	add_round("two");
	add_round("three");
	assert_false(conversation_trim(&c, 1));
	assert_int_equal(c.count, 6);
	is_at(0, CHAT_SYSTEM, "system");
	is_at(1, CHAT_USER, "second task");
	is_at(2, CHAT_ASSISTANT, "two");
	assert_int_equal(c.task, 1);
}

static void test_a_new_task_keeps_the_rounds_before_it(void **state)
{
	(void)state;
	add_round("one");
	add_round("two");
	add_round("three");
	conversation_add_task(&c, "second task");
	assert_false(conversation_trim(&c, 1));
	is_at(1, CHAT_ASSISTANT, "two");
	is_at(5, CHAT_USER, "second task");
	assert_int_equal(c.task, 5);
}

static void test_the_system_text_is_replaced(void **state)
{
	(void)state;
	conversation_set_system(&c, "another");
	assert_int_equal(c.count, 2);
	is_at(0, CHAT_SYSTEM, "another");
	is_at(1, CHAT_USER, "task");
}

static void test_the_system_text_may_come_later(void **state)
{
	(void)state;
	conversation_fini(&c);
	conversation_add_task(&c, "task");
	conversation_set_system(&c, "system");
	is_at(0, CHAT_SYSTEM, "system");
	assert_int_equal(c.task, 1);
	assert_false(conversation_trim(&c, 1));
	assert_int_equal(c.count, 2);
}

static void test_the_estimate_stays_within_our_bounds(void **state)
{
	/* Bounds for the estimate; the server's own counts correct it later. */
	static const struct {
		const char *text;
		uint64_t least;
		uint64_t most;
	} cases[] = {
		{"",							     0,  0 },
		{"The quick brown fox jumps over the lazy dog.",                 9,  14},
		{"import pandas as pd\ndf = pd.read_csv(\"/data/sales.csv\")\n", 15, 30},
		{"2024-01-15,1234.56,North\n",                                   12, 24},
		{"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",                         2,  6 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t n = conversation_text_tokens(cases[i].text, strlen(cases[i].text));

		if (n < cases[i].least || n > cases[i].most)
			fail_msg("%s: %d", cases[i].text, (int)n);
	}
}

static void fill(void)
{
	for (int i = 0; i < 20; i++)
		add_round("some words of a longer reply, more of them, and more");
}

static void test_the_first_count_corrects_the_estimate(void **state)
{
	uint64_t before;

	(void)state;
	fill();
	before = conversation_tokens(&c);
	assert_false(conversation_learn(&c, before * 8 / 10, true));
	assert_in_range(conversation_tokens(&c), before * 79 / 100, before * 81 / 100);
	assert_false(conversation_learn(&c, before * 2, false));
	assert_in_range(conversation_tokens(&c), before * 19 / 10, before * 21 / 10);
}

static void test_half_the_count_in_the_first_request_means_cut(void **state)
{
	(void)state;
	fill();
	assert_true(conversation_learn(&c, conversation_tokens(&c) / 3, true));
}

static void test_a_small_count_later_means_cache(void **state)
{
	(void)state;
	fill();
	assert_false(conversation_learn(&c, 300, false));
	assert_int_equal(c.per_thousand, 0);
}

static void test_a_small_count_of_a_server_that_counts_all_means_cut(void **state)
{
	(void)state;
	fill();
	assert_false(conversation_learn(&c, conversation_tokens(&c), false));
	fill();
	assert_true(conversation_learn(&c, conversation_tokens(&c) / 3, false));
}

static void test_no_count_says_nothing(void **state)
{
	(void)state;
	fill();
	assert_false(conversation_learn(&c, 0, true));
	assert_int_equal(c.per_thousand, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_what_fits_stays),
		TEST(test_the_oldest_round_goes_first),
		TEST(test_system_task_and_two_rounds_stay_whatever_the_budget),
		TEST(test_fewer_than_two_rounds_all_stay),
		TEST(test_calls_go_with_their_results),
		TEST(test_earlier_tasks_go_the_current_one_stays),
		TEST(test_a_new_task_keeps_the_rounds_before_it),
		TEST(test_the_system_text_is_replaced),
		TEST(test_the_system_text_may_come_later),
		TEST(test_the_estimate_stays_within_our_bounds),
		TEST(test_the_first_count_corrects_the_estimate),
		TEST(test_half_the_count_in_the_first_request_means_cut),
		TEST(test_a_small_count_later_means_cache),
		TEST(test_a_small_count_of_a_server_that_counts_all_means_cut),
		TEST(test_no_count_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
