/*
 * test_idempotency - replies that are kept for who asks again, on a clock of ours.
 */
#include "unit.h"

#include <stdio.h>

#include "serve/idempotency_store.h"

static struct idempotency_store store;
static struct idempotency_entry *x;

static int end(void **state)
{
	(void)state;
	idempotency_fini(&store);
	return 0;
}

static enum idempotency_state look(const char *owner, const char *key, const char *body,
				   uint64_t now_us)
{
	return idempotency_look(&store, owner, key, body, strlen(body), now_us, &x);
}

/* Ask for the first time, and get a reply of so many bytes. */
static void run(const char *owner, const char *key, size_t length, uint64_t now_us)
{
	auto_buf struct buf reply = {0};

	assert_int_equal(look(owner, key, "body", now_us), IDEMPOTENCY_NEW);
	while (reply.length < length)
		buf_text(&reply, "x");
	idempotency_keep(&store, x, &reply, now_us);
}

static void test_a_reply_is_kept_for_ten_minutes(void **state)
{
	(void)state;
	run("a", "k", 3, 5);
	assert_int_equal(look("a", "k", "body", 6), IDEMPOTENCY_DONE);
	assert_string_equal(buf_string(&x->reply), "xxx");
	assert_int_equal(look("a", "k", "body", IDEMPOTENCY_US + 4), IDEMPOTENCY_DONE);
	assert_int_equal(look("a", "k", "body", IDEMPOTENCY_US + 5), IDEMPOTENCY_NEW);
}

static void test_another_body_is_another_request(void **state)
{
	(void)state;
	run("a", "k", 3, 0);
	assert_int_equal(look("a", "k", "Body", 1), IDEMPOTENCY_OTHER);
	assert_int_equal(look("a", "k", "", 1), IDEMPOTENCY_OTHER);
	assert_int_equal(look("a", "k", "body", 1), IDEMPOTENCY_DONE);
}

static void test_another_owner_has_another_key(void **state)
{
	(void)state;
	run("a", "bk", 3, 0);
	assert_int_equal(look("ab", "k", "body", 1), IDEMPOTENCY_NEW);
	assert_int_equal(look("b", "bk", "other", 1), IDEMPOTENCY_NEW);
	assert_int_equal(look("a", "bk", "body", 1), IDEMPOTENCY_DONE);
}

static void test_what_runs_is_never_forgotten(void **state)
{
	char key[16];

	(void)state;
	assert_int_equal(look("a", "runs", "body", 0), IDEMPOTENCY_NEW);
	for (int i = 0; i < 2 * IDEMPOTENCY_ENTRIES; i++) {
		snprintf(key, sizeof(key), "%d", i);
		run("a", key, 1, (uint64_t)i);
	}
	assert_int_equal(look("a", "runs", "body", 100 * IDEMPOTENCY_US), IDEMPOTENCY_RUNNING);
	idempotency_drop(&store, x);
	assert_int_equal(look("a", "runs", "body", 0), IDEMPOTENCY_NEW);
}

static void test_one_owner_does_not_displace_another(void **state)
{
	char key[16];

	(void)state;
	run("quiet", "k", 3, 0);
	for (int i = 1; i < 2 * IDEMPOTENCY_ENTRIES; i++) {
		snprintf(key, sizeof(key), "%d", i);
		run("loud", key, 1, (uint64_t)i);
	}
	assert_int_equal(look("quiet", "k", "body", 5000), IDEMPOTENCY_DONE);
	assert_int_equal(look("loud", key, "body", 5000), IDEMPOTENCY_DONE);
	assert_int_equal(look("loud", "1", "body", 5000), IDEMPOTENCY_NEW);
}

static void test_bytes_are_bounded(void **state)
{
	(void)state;
	run("a", "1", IDEMPOTENCY_REPLY_MOST - 10, 0);
	run("a", "2", 10, 1);
	assert_int_equal(look("a", "1", "body", 2), IDEMPOTENCY_DONE);
	run("a", "3", 1, 3);
	assert_int_equal(look("a", "2", "body", 4), IDEMPOTENCY_DONE);
	assert_int_equal(look("a", "1", "body", 4), IDEMPOTENCY_NEW);
}

static void test_a_reply_that_is_too_large(void **state)
{
	(void)state;
	run("a", "k", IDEMPOTENCY_REPLY_MOST + 1, 0);
	assert_int_equal(look("a", "k", "body", 1), IDEMPOTENCY_LARGE);
	assert_int_equal(x->reply.length, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_a_reply_is_kept_for_ten_minutes, end),
		cmocka_unit_test_teardown(test_another_body_is_another_request, end),
		cmocka_unit_test_teardown(test_another_owner_has_another_key, end),
		cmocka_unit_test_teardown(test_what_runs_is_never_forgotten, end),
		cmocka_unit_test_teardown(test_one_owner_does_not_displace_another, end),
		cmocka_unit_test_teardown(test_bytes_are_bounded, end),
		cmocka_unit_test_teardown(test_a_reply_that_is_too_large, end),
	};

	return cmocka_run_group_tests_name("idempotency", tests, NULL, NULL);
}
