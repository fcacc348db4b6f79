/*
 * test_mapped_ids - a child in a user namespace of ours: what it may, and that its caller is not
 * changed.
 */
#include "unit.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "namespace/mapped_ids.h"

#define NOBODY 65534

static struct err e;
static int users_fd; /* -1: the machine lets no ordinary user make one */

struct seen {
	int death_signal;
	int dumpable;
	bool is_inside;
};

static bool is_in_it(void)
{
	struct stat own;
	struct stat wanted;

	return !stat("/proc/self/ns/user", &own) && !fstat(users_fd, &wanted) &&
	       own.st_ino == wanted.st_ino;
}

static int look(void *argument, struct err *unused)
{
	struct seen *seen = argument;

	(void)unused;
	prctl(PR_GET_PDEATHSIG, &seen->death_signal);
	seen->dumpable = prctl(PR_GET_DUMPABLE);
	seen->is_inside = is_in_it();
	return 0;
}

static int refuse(void *argument, struct err *error)
{
	(void)argument;
	return err_set(error, ERR_INPUT, "as told");
}

/* Return a user namespace that a child of ours has made, or -1. */
static int make_users(void)
{
	char path[64];
	int ready[2];
	char word;
	pid_t pid;
	int fd = -1;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (!unshare(CLONE_NEWUSER) && write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	if (read(ready[0], &word, 1) == 1)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	close(ready[0]);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return fd;
}

static void test_the_child_follows_its_caller_and_changes_nothing_of_it(void **state)
{
	struct seen seen = {0};

	(void)state;
	needs_no_valgrind("no process shares memory with its parent");
	if (users_fd < 0)
		skip();
	assert_int_equal(mapped_ids_call(users_fd, look, &seen, &e), 0);
	assert_true(seen.is_inside);
	assert_int_equal(seen.death_signal, SIGKILL);
	assert_int_equal(seen.dumpable, 1);
	assert_int_equal(prctl(PR_GET_DUMPABLE), 1);
	assert_false(is_in_it());
}

static void test_its_error_is_the_callers(void **state)
{
	(void)state;
	needs_no_valgrind("no process shares memory with its parent");
	if (users_fd < 0)
		skip();
	assert_int_equal(mapped_ids_call(users_fd, refuse, NULL, &e), -1);
	assert_string_equal(e.text, "as told");
}

static void test_it_enters_nothing_else(void **state)
{
	int fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);

	(void)state;
	needs_no_valgrind("no process shares memory with its parent");
	assert_int_equal(mapped_ids_call(fd, look, &(struct seen){0}, &e), -1);
	assert_true(message_is(e.text, "@mapped_ids_join#enter"));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_child_follows_its_caller_and_changes_nothing_of_it),
		cmocka_unit_test(test_its_error_is_the_callers),
		cmocka_unit_test(test_it_enters_nothing_else),
	};

	/* As an ordinary user, whose namespaces these are. */
	if (!RUNNING_ON_VALGRIND && !geteuid() &&
	    (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)))
		return 1;
	prctl(PR_SET_DUMPABLE, 1);
	users_fd = make_users();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
