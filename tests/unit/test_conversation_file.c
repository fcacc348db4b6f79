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
static struct cells cells;

static int enter(void **state)
{
	struct chat_message m = chat_message_make(CHAT_USER, "hello");

	(void)state;
	base = unit_enter();
	snprintf(path, sizeof(path), "%s/kept", unit_directory);
	conversation_add(&talk, &m);
	cells_init(&cells);
	accepts(conversation_file_save(&talk, &cells, "m", path, &e), path);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	conversation_fini(&talk);
	cells_fini(&cells);
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
	accepts(conversation_file_save(&talk, &cells, "m", path, &e), path);
	after = look();
	assert_int_not_equal(before.st_ino, after.st_ino);
	assert_int_equal(after.st_mode & 07777, 0640);
}

static void run(const char *code, enum code_verdict verdict, bool is_lost)
{
	struct execution x = {.verdict = verdict, .state_lost = is_lost};
	struct event event = {.kind = EVENT_EXECUTE, .text = code, .length = strlen(code)};

	buf_text(&x.output[0], "42\n");
	cells.sink.take(&cells.sink, &event);
	event = (struct event){.kind = EVENT_EXECUTED, .execution = &x, .text = ""};
	cells.sink.take(&cells.sink, &event);
	buf_fini(&x.output[0]);
}

/* Code that failed, and what ran before the variables were lost, does not run again. */
static void test_cells_come_back_with_what_runs_again(void **state)
{
	struct conversation loaded;
	size_t at = SIZE_MAX;

	(void)state;
	run("a = 1", CODE_OK, false);
	run("crash()", CODE_CRASHED, true);
	run("b = 2", CODE_OK, false);
	run("c = 1 / 0", CODE_ERROR, false);
	run("d = 4", CODE_OK, false);
	accepts(conversation_file_save(&talk, &cells, "m", path, &e), path);
	cells_cut(&cells, 0);
	accepts(conversation_file_load(path, &loaded, &cells, &e), path);
	conversation_fini(&loaded);
	assert_int_equal(cells.count, 5);
	assert_string_equal(cells.items[0].output, "42\n");
	at = cells_next_run(&cells, at);
	assert_string_equal(cells.items[at].text, "b = 2");
	at = cells_next_run(&cells, at);
	assert_string_equal(cells.items[at].text, "d = 4");
	assert_true(cells_next_run(&cells, at) == SIZE_MAX);
}

/* The oldest cells make room for new ones, and an undone task goes all the same. */
static void test_many_cells_are_cut_where_they_were_marked(void **state)
{
	size_t end;

	(void)state;
	cells_cut(&cells, 0);
	for (int i = 0; i < 2500; i++)
		run("a = 1", CODE_OK, false);
	end = cells_end(&cells);
	run("b = 2", CODE_OK, false);
	cells_cut(&cells, end);
	assert_true(cells.count > 1000);
	assert_string_equal(cells.items[cells.count - 1].text, "a = 1");
	cells_cut(&cells, 0);
	assert_int_equal(cells.count, 0);
}

static void test_a_notebook_is_written_over_and_not_loaded(void **state)
{
	struct conversation loaded;

	(void)state;
	run("print(6 * 7)", CODE_OK, false);
	snprintf(path, sizeof(path), "%s/a.ipynb", unit_directory);
	for (int i = 0; i < 2; i++)
		accepts(conversation_file_save(&talk, &cells, "m", path, &e), path);
	assert_non_null(strstr(unit_read(base, "a.ipynb"), "\"source\":\"print(6 * 7)\""));
	refuses(conversation_file_load(path, &loaded, &cells, &e), path, ERR_INPUT, "a notebook");
	unit_write(base, "other.ipynb", "{}", 2);
	snprintf(path, sizeof(path), "%s/other.ipynb", unit_directory);
	refuses(conversation_file_save(&talk, &cells, "m", path, &e), path, ERR_INPUT,
		"other.ipynb");
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
	refuses(conversation_file_save(&talk, &cells, "m", path, &e), path, ERR_SYSTEM, "write");
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
	refuses(conversation_file_save(&talk, &cells, "m", path, &e), path, ERR_INPUT,
		"@trusted_path_refuse_link");
	snprintf(path, sizeof(path), "%s/link", unit_directory);
	refuses(conversation_file_save(&talk, &cells, "m", path, &e), path, ERR_INPUT,
		"@trusted_path_refuse_link");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(test_it_is_replaced_as_a_whole),
		TEST(test_cells_come_back_with_what_runs_again),
		TEST(test_many_cells_are_cut_where_they_were_marked),
		TEST(test_a_notebook_is_written_over_and_not_loaded),
		TEST(test_what_cannot_be_written_costs_nothing),
		TEST(test_links_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
