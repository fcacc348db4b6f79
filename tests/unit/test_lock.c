/*
 * test_lock - waiting for a lock ends when it is free, or when the time is over.
 */
#include "unit.h"

#include <sys/file.h>

#include "base/process.h"
#include "fs/lock.h"
#include "loop/clock.h"

static int file_of_mine(void)
{
	int fd = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static void test_a_free_one_is_had_at_once(void **state)
{
	int first = file_of_mine();
	int second = file_of_mine();

	(void)state;
	assert_int_equal(lock_within(first, LOCK_SH, 0), 0);
	assert_int_equal(lock_within(second, LOCK_SH, 0), 0);
	close(second);
	assert_int_equal(lock_within(first, LOCK_EX, 0), 0);
	close(first);
}

static void test_one_that_stays_taken_is_given_up(void **state)
{
	int holder = file_of_mine();
	int fd = file_of_mine();
	uint64_t began = monotonic_us();

	(void)state;
	assert_int_equal(lock_within(holder, LOCK_EX, 0), 0);
	for (unsigned wait_us = 0; wait_us <= 20000; wait_us += 20000) {
		errno = 0;
		assert_int_equal(lock_within(fd, LOCK_SH, wait_us), -1);
		assert_int_equal(errno, EWOULDBLOCK);
	}
	assert_true(monotonic_us() - began >= 20000);
	close(holder);
	close(fd);
}

static void test_one_that_becomes_free_is_had(void **state)
{
	int fd = file_of_mine();
	int ends[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		int own = open("file", O_RDWR | O_CLOEXEC);
		bool good = own >= 0 && !flock(own, LOCK_EX) && write(ends[1], "x", 1) == 1;

		usleep(20000);
		_exit(good ? 0 : 1); /* which frees it */
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(lock_within(fd, LOCK_EX, 60000000), 0);
	assert_int_equal(process_reap(pid, 0), 0);
	close(ends[0]);
	close(ends[1]);
	close(fd);
}

static void test_what_is_no_file_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(lock_within(-1, LOCK_EX, 60000000), -1);
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_free_one_is_had_at_once),
		cmocka_unit_test(test_one_that_stays_taken_is_given_up),
		cmocka_unit_test(test_one_that_becomes_free_is_had),
		cmocka_unit_test(test_what_is_no_file_is_an_error),
	};
	int fd = unit_enter();
	int failed = fchdir(fd) ? -1 : cmocka_run_group_tests(tests, NULL, NULL);

	unit_leave(fd);
	return failed;
}
