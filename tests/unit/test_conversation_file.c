/*
 * test_conversation_file - what /save leaves in a file, and in one that a program has exchanged.
 */
#include "unit.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "agent/conversation_file.h"
#include "base/own.h"

static struct err e;
static int base;
static char path[300];
static struct conversation talk;

static int enter(void **state)
{
	struct chat_message m = chat_message_make(CHAT_USER, "hello");

	(void)state;
	base = unit_enter();
	snprintf(path, sizeof(path), "%s/kept", unit_directory);
	conversation_add(&talk, &m);
	accepts(conversation_file_save(&talk, "m", path, &e), path);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	conversation_fini(&talk);
	unit_leave(base);
	return 0;
}

static struct stat look(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st;
}

static void test_it_is_replaced_as_a_whole(void **state)
{
	struct stat before = look();
	struct stat after;

	(void)state;
	assert_int_equal(before.st_mode & 07777, 0600);
	assert_int_equal(chmod(path, 0640), 0);
	accepts(conversation_file_save(&talk, "m", path, &e), path);
	after = look();
	assert_int_not_equal(before.st_ino, after.st_ino);
	assert_int_equal(after.st_mode & 07777, 0640);
}

/* As on a full disk. */
static void test_what_cannot_be_written_costs_nothing(void **state)
{
	struct rlimit all;
	struct rlimit few;
	auto_free char *before = own_strdup(unit_read(base, "kept"));

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
	few = (struct rlimit){.rlim_cur = 10, .rlim_max = all.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	refuses(conversation_file_save(&talk, "m", path, &e), path, ERR_SYSTEM, "write");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	assert_string_equal(unit_read(base, "kept"), before);
}

static void test_links_are_refused(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(base, "real", 0700), 0);
	assert_int_equal(symlinkat("real", base, "away"), 0);
	assert_int_equal(symlinkat("kept", base, "link"), 0);
	snprintf(path, sizeof(path), "%s/away/new", unit_directory);
	refuses(conversation_file_save(&talk, "m", path, &e), path, ERR_INPUT,
		"@trusted_path_refuse_link");
	snprintf(path, sizeof(path), "%s/link", unit_directory);
	refuses(conversation_file_save(&talk, "m", path, &e), path, ERR_INPUT,
		"@trusted_path_refuse_link");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(test_it_is_replaced_as_a_whole),
		TEST(test_what_cannot_be_written_costs_nothing),
		TEST(test_links_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
