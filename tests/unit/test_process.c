/*
 * test_process - the ends of children.
 */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/process.h"

static pid_t child_that_exits(int code)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(code);
	assert_true(pid > 0);
	return pid;
}

static void test_a_status_is_that_of_its_end(void **state)
{
	pid_t pid;

	(void)state;
	assert_int_equal(process_exit_code(process_reap(child_that_exits(0), 0)), 0);
	assert_int_equal(process_exit_code(process_reap(child_that_exits(7), 0)), 7);
	pid = fork();
	while (pid == 0)
		pause();
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(process_exit_code(process_reap(pid, 0)), 128 + SIGKILL);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
}

static void test_a_child_that_nobody_has_left_nothing(void **state)
{
	pid_t pid = child_that_exits(7);

	(void)state;
	assert_int_equal(process_exit_code(process_reap(pid, 0)), 7);
	assert_int_equal(process_reap(pid, 0), 0);
}

static void ignore(int number)
{
	(void)number;
}

/* The parent's handler ends waitpid(2) each time. */
static void test_signals_do_not_end_the_wait(void **state)
{
	const struct sigaction action = {.sa_handler = ignore}; /* no SA_RESTART */
	pid_t parent = getpid();
	pid_t pid;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 20; i++) {
			kill(parent, SIGUSR1);
			usleep(1000);
		}
		_exit(9);
	}
	assert_int_equal(process_exit_code(process_reap(pid, 0)), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_status_is_that_of_its_end),
		cmocka_unit_test(test_a_child_that_nobody_has_left_nothing),
		cmocka_unit_test(test_signals_do_not_end_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
