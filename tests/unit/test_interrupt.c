/*
 * test_interrupt - waiting for a descriptor, or for a signal.
 */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../rootfs/archive/interrupt.h"

static void test_a_descriptor_is_awaited_for_a_moment(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_false(interrupt_await(ends[0]));
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(interrupt_await(ends[0]));
	close(ends[1]);
	assert_int_equal(read(ends[0], (char[1]){0}, 1), 1);
	assert_true(interrupt_await(ends[0])); /* the other end */
	close(ends[0]);
}

static void test_a_signal_ends_the_wait_and_is_seen(void **state)
{
	struct err e;
	pid_t pid;

	(void)state;
	interrupt_setup();
	pid = fork();
	if (pid == 0) {
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	while (!interrupt_signal())
		assert_false(interrupt_await(-1));
	assert_int_equal(interrupt_signal(), SIGTERM);
	assert_int_equal(interrupt_check(&e), -1);
	interrupt_reset();
	waitpid(pid, NULL, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_descriptor_is_awaited_for_a_moment),
		cmocka_unit_test(test_a_signal_ends_the_wait_and_is_seen),
	};

	return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}
