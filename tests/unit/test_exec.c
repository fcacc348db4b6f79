/*
 * test_exec - the search for the program, and the error texts of code that has no libc.
 *
 * A forked child makes each search: it executes the program, or says why it cannot.
 */
#include "unit.h"

#include <errno.h>
#include <sys/wait.h>

#include "inside/confine.h"
#include "inside/exec.h"

static int dir;

static void make_program(const char *path, const char *says, mode_t mode)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "#!/bin/sh\nprintf '%s %%s' \"$X\"\n", says);

	unit_write(dir, path, text, (size_t)n);
	assert_int_equal(fchmodat(dir, path, mode, 0), 0);
}

static int new_directory(void **state)
{
	(void)state;
	dir = unit_enter();
	mkdirat(dir, "a", 0755);
	mkdirat(dir, "b", 0755);
	make_program("a/denied", "a", 0644);
	make_program("b/both", "b", 0755);
	make_program("a/both", "a", 0755);
	make_program("b/only", "b", 0755);
	make_program("b/denied", "b", 0644);
	make_program("a/later", "a", 0644);
	make_program("b/later", "b", 0755);
	mkdirat(dir, "a/folder", 0755);
	unit_write(dir, "a/file", "x", 1);
	unit_write(dir, "a/broken", "no program", 10);
	assert_int_equal(fchmodat(dir, "a/broken", 0755, 0), 0);
	return 0;
}

static int end_directory(void **state)
{
	(void)state;
	unit_leave(dir);
	return 0;
}

/*
 * Returns what the program prints, or "not found: ..." or "denied: ..."; borrowed until the next
 * call.
 */
static const char *run(const char *name, const char *search_path)
{
	static char said[1024];
	char *argv[] = {(char *)(void *)name, NULL};
	char *envp[] = {(char[]){"X=env"}, NULL};
	struct inside_plan plan = {.argv = argv, .envp = envp, .search_path = search_path};
	size_t length = 0;
	int ends[2];
	int status;
	ssize_t n;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		struct err e = {0};
		char line[600];

		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		if (fchdir(dir) || inside_exec(&plan, &e) != -1)
			_exit(1);
		n = snprintf(said, sizeof(said), "%s: %s",
			     e.kind == ERR_NOT_FOUND ? "not found"
			     : e.kind == ERR_DENIED  ? "denied"
						     : "other",
			     err_string(&e, line, sizeof(line)));
		_exit(write(1, said, (size_t)n) == n ? 0 : 1);
	}
	close(ends[1]);
	while ((n = read(ends[0], said + length, sizeof(said) - 1 - length)) > 0)
		length += (size_t)n;
	said[length] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return said;
}

/* The search path: %a and %b are the two directories. */
static const char *path(const char *pattern)
{
	static char out[2048];
	size_t used = 0;

	for (const char *p = pattern; *p; p++) {
		if (*p == '%')
			used += (size_t)snprintf(out + used, sizeof(out) - used, "%s/%c",
						 unit_directory, *++p);
		else
			out[used++] = *p;
	}
	out[used] = '\0';
	return out;
}

static void test_the_first_directory_wins(void **state)
{
	(void)state;
	assert_string_equal(run("both", path("%a:%b")), "a env");
	assert_string_equal(run("both", path("%b:%a")), "b env");
	assert_string_equal(run("only", path("%a:%b")), "b env");
	assert_string_equal(run("only", path("/nonexistent:%a/file:%b")), "b env");
}

static void test_empty_parts_of_the_path_are_not_the_current_directory(void **state)
{
	(void)state;
	make_program("here", "here", 0755);
	assert_string_equal(run("only", path(":%b")), "b env");
	assert_string_equal(run("only", path("::%b::")), "b env");
	assert_memory_equal(run("here", path(":%a:")), "not found", 9);
	assert_memory_equal(run("here", path("")), "not found", 9);
	assert_memory_equal(run("proc", path(":%a:")), "not found",
			    9); /* the root directory is no program either */
}

static void test_what_may_not_be_run_is_passed_over(void **state)
{
	const char *said;

	(void)state;
	assert_string_equal(run("later", path("%a:%b")), "b env");
	said = run("denied", path("%a:%b"));
	assert_memory_equal(said, "denied", 6);
	assert_true(message_is(said, "@exec_refuse#permission denied"));
	assert_memory_equal(run("denied", path("%a:/nonexistent")), "denied", 6);
	assert_memory_equal(run("folder", path("%a")), "denied", 6);
}

static void test_a_name_with_a_slash_is_not_searched_for(void **state)
{
	const char *said;

	(void)state;
	assert_string_equal(run("a/both", path("%b")), "a env");
	assert_string_equal(run("./b/both", ""), "b env");
	said = run("/nonexistent/x", path("%a"));
	assert_memory_equal(said, "not found", 9);
	assert_true(message_is(said, "@exec_refuse#such /nonexistent/x"));
	assert_memory_equal(run("c/both", path("%a")), "not found", 9);
	assert_memory_equal(run("a/file/x", path("%a")), "not found", 9);
	assert_memory_equal(run("a/denied", path("%b")), "denied", 6);
	assert_memory_equal(run("a/folder", path("%a")), "denied", 6);
	assert_memory_equal(run("a/broken", path("%a")), "denied", 6);
}

static void test_what_is_nowhere_is_not_found(void **state)
{
	const char *said;
	char name[5000];

	(void)state;
	said = run("nowhere", path("%a:%b"));
	assert_memory_equal(said, "not found", 9);
	assert_true(message_is(said, "@inside_exec#PATH nowhere"));
	assert_memory_equal(run("", path("%a")), "not found", 9);
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_memory_equal(run(name, path("%a")), "not found", 9); /* longer than any path */
}

static void test_a_long_path_is_searched_to_its_end(void **state)
{
	static char text[20000];
	size_t used = 0;

	(void)state;
	while (used < 10000)
		used += (size_t)sprintf(text + used, "/nonexistent/%05zu:", used);
	memset(text + used, 'x', 5000); /* a name that is longer than any path */
	text[used] = '/';
	strcpy(text + used + 5000, path(":%b"));
	assert_string_equal(run("only", text), "b env");
}

static void test_fail_joins_verb_and_object(void **state)
{
	struct err e;
	char text[600];

	(void)state;
	assert_int_equal(inside_fail(&e, -EPERM, "mount", "/proc"), -1);
	assert_string_equal(e.text, "mount /proc");
	assert_int_equal(e.kind, ERR_SYSTEM);
	assert_int_equal(e.number, EPERM);
	assert_int_equal(inside_fail(&e, 0, "verb", NULL), -1);
	assert_string_equal(e.text, "verb");
	assert_int_equal(e.number, 0);
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	inside_fail(&e, -EIO, "open", text);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	inside_fail(&e, -EIO, text, "object");
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_directory, end_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_first_directory_wins),
		TEST(test_empty_parts_of_the_path_are_not_the_current_directory),
		TEST(test_what_may_not_be_run_is_passed_over),
		TEST(test_a_name_with_a_slash_is_not_searched_for),
		TEST(test_what_is_nowhere_is_not_found),
		TEST(test_a_long_path_is_searched_to_its_end),
		cmocka_unit_test(test_fail_joins_verb_and_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
