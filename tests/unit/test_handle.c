/*
 * test_handle - a session's name is its owner's alone, and the secret behind it outlives the
 * server.
 */
#include "unit.h"

#include <ctype.h>

#include "tenant/handle.h"

#define ALICE "a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0"
#define BOB   "a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a1"

static const struct handle_secret secret = {
	{1, 2, 3}
};
static int base = -1;
static struct err e;

static int begin(void **state)
{
	(void)state;
	base = unit_enter();
	return 0;
}

static int end(void **state)
{
	(void)state;
	unit_leave(base);
	return 0;
}

static void test_its_form(void **state)
{
	char text[HANDLE_BYTES];
	char again[HANDLE_BYTES];

	(void)state;
	handle_make(&secret, ALICE, NULL, text);
	assert_int_equal(strlen(text), 13 + 32);
	assert_int_equal(strspn(text + 13, "0123456789abcdef"), 32);
	handle_make(&secret, ALICE, NULL, again);
	assert_string_not_equal(text, again);
	handle_make(&secret, ALICE, "abcdefghij012345", text);
	assert_int_equal(strlen(text), HANDLE_BYTES - 1);
	assert_memory_equal(text, "code-session-abcdefghij012345-", 30);
	assert_true(handle_check(&secret, ALICE, text));
}

static void test_it_is_its_owners_alone(void **state)
{
	static const char *const labels[] = {NULL, "n", "node1", "abcdefghij012345"};
	const struct handle_secret other = {
		{1, 2, 4}
        };

	(void)state;
	for (size_t i = 0; i < COUNT(labels); i++) {
		char text[HANDLE_BYTES];

		handle_make(&secret, ALICE, labels[i], text);
		assert_true(handle_check(&secret, ALICE, text));
		assert_false(handle_check(&secret, BOB, text));
		assert_false(handle_check(&secret, "", text));
		assert_false(handle_check(&other, ALICE, text));
	}
}

/* Every character counts: none can be another, none can be left out, none can be added. */
static void test_no_other_text_is_one(void **state)
{
	static const char others[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEF-_/%. ";
	char text[HANDLE_BYTES];
	char wrong[2 * HANDLE_BYTES];

	(void)state;
	handle_make(&secret, ALICE, "node1", text);
	for (size_t at = 0; at < strlen(text); at++) {
		for (const char *c = others; *c; c++) {
			snprintf(wrong, sizeof(wrong), "%s", text);
			wrong[at] = *c;
			assert_int_equal(handle_check(&secret, ALICE, wrong), *c == text[at]);
			snprintf(wrong, sizeof(wrong), "%.*s%c%s", (int)at, text, *c, text + at);
			assert_false(handle_check(&secret, ALICE, wrong));
		}
		snprintf(wrong, sizeof(wrong), "%.*s%s", (int)at, text, text + at + 1);
		assert_false(handle_check(&secret, ALICE, wrong));
		snprintf(wrong, sizeof(wrong), "%.*s", (int)at, text);
		assert_false(handle_check(&secret, ALICE, wrong));
	}
	snprintf(wrong, sizeof(wrong), "%s0", text);
	assert_false(handle_check(&secret, ALICE, wrong));
	for (char *c = text + 13; *c; c++)
		*c = (char)toupper(*c);
	assert_false(handle_check(&secret, ALICE, text));
}

/* Parts cannot be moved from the label to the owner. */
static void test_parts_are_kept_apart(void **state)
{
	char text[HANDLE_BYTES];
	char wrong[2 * HANDLE_BYTES];

	(void)state;
	handle_make(&secret, "b" ALICE, "a", text);
	snprintf(wrong, sizeof(wrong), "code-session-ab-%s", text + 15);
	assert_false(handle_check(&secret, ALICE, wrong));
	snprintf(wrong, sizeof(wrong), "code-session-%s", text + 15);
	assert_false(handle_check(&secret, "b" ALICE, wrong));
	assert_false(handle_check(&secret, "ab" ALICE, wrong));
}

static void test_labels(void **state)
{
	static const char *const bad[] = {"", "A", "a-b", "a.b", "a b", "abcdefghij0123456", "ä"};

	(void)state;
	assert_true(handle_label_is_valid("n1"));
	assert_true(handle_label_is_valid("0123456789abcdef"));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(handle_label_is_valid(bad[i]));
}

static void test_the_secret_is_made_once_and_stays(void **state)
{
	struct handle_secret first;
	struct handle_secret second;
	struct stat st;

	(void)state;
	accepts(handle_secret_open(base, &first, &e), "first");
	accepts(handle_secret_open(base, &second, &e), "second");
	assert_memory_equal(first.bytes, second.bytes, HANDLE_SECRET);
	assert_int_equal(fstatat(base, HANDLE_SECRET_FILE, &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(unlinkat(base, HANDLE_SECRET_FILE, 0), 0);
	accepts(handle_secret_open(base, &second, &e), "another");
	assert_memory_not_equal(first.bytes, second.bytes, HANDLE_SECRET);
}

static void test_a_secret_that_others_know_is_none(void **state)
{
	struct handle_secret out;

	(void)state;
	accepts(handle_secret_open(base, &out, &e), "made");
	assert_int_equal(fchmodat(base, HANDLE_SECRET_FILE, 0640, 0), 0);
	refuses(handle_secret_open(base, &out, &e), "0640", ERR_INPUT, "@document_judge#must");
	assert_int_equal(unlinkat(base, HANDLE_SECRET_FILE, 0), 0);
	unit_write(base, HANDLE_SECRET_FILE, "short", 5);
	refuses(handle_secret_open(base, &out, &e), "short", ERR_INPUT,
		"@handle_secret_read#making");
	assert_int_equal(renameat(base, HANDLE_SECRET_FILE, base, "x"), 0);
	assert_int_equal(symlinkat("x", base, HANDLE_SECRET_FILE), 0);
	refuses(handle_secret_open(base, &out, &e), "link", ERR_SYSTEM,
		"@handle_secret_read#followed");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_its_form),
		cmocka_unit_test(test_it_is_its_owners_alone),
		cmocka_unit_test(test_no_other_text_is_one),
		cmocka_unit_test(test_parts_are_kept_apart),
		cmocka_unit_test(test_labels),
		cmocka_unit_test_setup_teardown(test_the_secret_is_made_once_and_stays, begin, end),
		cmocka_unit_test_setup_teardown(test_a_secret_that_others_know_is_none, begin, end),
	};

	return cmocka_run_group_tests_name("handle", tests, NULL, NULL);
}
