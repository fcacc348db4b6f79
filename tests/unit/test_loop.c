/*
 * test_loop - a loop reports what is waited for now, and nothing that was waited for earlier.
 */
#include "unit.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/own.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "loop/loop.h"

static struct loop loop;
static struct err e;
static int ends[2];

static int open_all(void **state)
{
	(void)state;
	loop = loop_none();
	accepts(loop_fd(&loop, &e) < 0, "a loop");
	assert_int_equal(pipe(ends), 0);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	loop_close(&loop);
	own_close(&ends[0]);
	own_close(&ends[1]);
	return 0;
}

static bool has_something(void)
{
	struct pollfd fd = {loop.fd, POLLIN, 0};

	return poll(&fd, 1, 0) > 0;
}

static void test_what_is_ready_is_reported_until_it_is_not(void **state)
{
	struct pollfd fds[] = {
		{-1,      POLLIN, 0},
                {ends[0], POLLIN, 0}
        };

	(void)state;
	loop_arrange(&loop, fds, 2, LOOP_NEVER);
	assert_false(has_something());
	assert_int_equal(write(ends[1], "x", 1), 1);
	for (int i = 0; i < 3; i++) { /* for as long as nobody reads from it */
		assert_true(has_something());
		loop_collect(&loop);
		assert_int_equal(fds[0].revents, 0);
		assert_int_equal(fds[1].revents, POLLIN);
		loop_arrange(&loop, fds, 2, LOOP_NEVER);
	}
	fds[1].fd = -1;
	loop_arrange(&loop, fds, 2, LOOP_NEVER);
	assert_false(has_something());
}

static void test_a_closed_descriptor_that_another_holds_is_silent(void **state)
{
	struct pollfd fds[] = {
		{ends[0], POLLIN, 0}
        };
	int others = dup(ends[0]);

	(void)state;
	assert_true(others >= 0);
	loop_arrange(&loop, fds, 1, LOOP_NEVER);
	own_close(&ends[0]);
	assert_int_equal(write(ends[1], "x", 1), 1);
	/* It may be reported once, although nobody waits for it any more. */
	loop_collect(&loop);
	fds[0].fd = -1;
	loop_arrange(&loop, fds, 1, LOOP_NEVER);
	assert_false(has_something());
	close(others);
}

static void test_a_number_that_is_another_file_by_now(void **state)
{
	struct pollfd fds[] = {
		{ends[0], POLLIN, 0}
        };
	int old = dup(ends[0]);
	int fresh[2];

	(void)state;
	loop_arrange(&loop, fds, 1, LOOP_NEVER);
	assert_int_equal(pipe(fresh), 0);
	assert_int_equal(dup2(fresh[0], ends[0]), ends[0]);
	loop_arrange(&loop, fds, 1, LOOP_NEVER);
	assert_int_equal(write(fresh[1], "x", 1), 1);
	assert_true(has_something());
	loop_collect(&loop);
	assert_int_equal(fds[0].revents, POLLIN);
	close(old);
	close(fresh[0]);
	close(fresh[1]);
}

static void test_a_file_is_always_ready(void **state)
{
	FILE *file = tmpfile();
	struct pollfd fds[] = {
		{fileno(file), POLLOUT, 0}
        };

	(void)state;
	loop_arrange(&loop, fds, 1, LOOP_NEVER);
	assert_true(has_something());
	loop_collect(&loop);
	assert_int_equal(fds[0].revents, POLLOUT);
	fds[0].events = 0; /* no event of it is asked for */
	loop_arrange(&loop, fds, 1, LOOP_NEVER);
	assert_false(has_something());
	fclose(file);
}

static void test_one_descriptor_for_two(void **state)
{
	struct pollfd fds[] = {
		{ends[1], POLLOUT, 0},
                {ends[1], 0,       0},
                {ends[1], POLLOUT, 0}
        };

	(void)state;
	loop_arrange(&loop, fds, 3, LOOP_NEVER);
	loop_collect(&loop);
	assert_int_equal(fds[0].revents, POLLOUT);
	assert_int_equal(fds[1].revents, 0);
	assert_int_equal(fds[2].revents, POLLOUT);
	own_close(&ends[0]); /* the end is reported even if no event is asked for */
	loop_arrange(&loop, fds, 3, LOOP_NEVER);
	loop_collect(&loop);
	assert_true(fds[1].revents & POLLERR);
}

static void test_the_timer_rings(void **state)
{
	uint64_t now = monotonic_us();

	(void)state;
	loop_arrange(&loop, NULL, 0, now + 3600000000ull);
	assert_false(has_something());
	for (int i = 0; i < 2; i++) { /* a deadline that has passed, again and again */
		loop_arrange(&loop, NULL, 0, now - 1);
		assert_true(has_something());
		loop_collect(&loop);
	}
	loop_arrange(&loop, NULL, 0, 0);
	assert_true(has_something());
	loop_collect(&loop);
	loop_arrange(&loop, NULL, 0, LOOP_NEVER);
	assert_false(has_something());
	loop_arrange(&loop, NULL, 0, monotonic_us() + 20000);
	assert_false(loop_wait(&loop, -1));
	assert_true(monotonic_us() >= now + 20000);
}

/* The same with loop_wait(), which makes no descriptor. */
static void test_waiting_without_a_descriptor(void **state)
{
	FILE *file = tmpfile();
	struct pollfd fds[] = {
		{ends[0],      POLLIN,  0},
                {fileno(file), POLLOUT, 0}
        };
	uint64_t now = monotonic_us();
	int also[2];

	(void)state;
	loop_close(&loop);
	assert_int_equal(pipe(also), 0);
	loop_arrange(&loop, fds, 1, now + 20000);
	assert_false(loop_wait(&loop, also[0]));
	assert_true(monotonic_us() >= now + 20000);
	loop_collect(&loop);
	assert_int_equal(fds[0].revents, 0);
	assert_int_equal(write(also[1], "x", 1), 1);
	loop_arrange(&loop, fds, 1, LOOP_NEVER);
	assert_true(loop_wait(&loop, also[0]));
	assert_int_equal(write(ends[1], "x", 1), 1);
	loop_arrange(&loop, fds, 2, LOOP_NEVER);
	loop_collect(&loop); /* loop_wait() did not wait */
	assert_int_equal(fds[0].revents, POLLIN);
	assert_int_equal(fds[1].revents, POLLOUT);
	assert_int_equal(loop.fd, -1);
	close(also[0]);
	close(also[1]);
	fclose(file);
}

/* As if other processes of our user had used up fs.epoll.max_user_watches. */
static void refuse_new_watches(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_ctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, EPOLL_CTL_ADD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSPC),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(program) / sizeof(program[0]), program};

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

/* Runs: a child. Its status is the number of the check that failed. */
static int wait_without_watches(void)
{
	uint64_t began = monotonic_us();
	struct pollfd fds[1];
	int own[2]; /* the others are shared with its parent */

	if (pipe(own))
		return 8;
	fds[0] = (struct pollfd){own[0], POLLIN, 0};
	refuse_new_watches();
	for (int looks = 0; monotonic_us() < began + 100000; looks++) {
		loop_arrange(&loop, fds, 1, LOOP_NEVER);
		loop_wait(&loop, -1);
		loop_collect(&loop);
		if (fds[0].revents)
			return 1; /* a read would block */
		if (looks > 20)
			return 2; /* at once */
	}
	if (write(own[1], "x", 1) != 1)
		return 3;
	loop_arrange(&loop, fds, 1, LOOP_NEVER);
	loop_wait(&loop, -1);
	loop_collect(&loop);
	if (fds[0].revents != POLLIN)
		return 4;
	close(own[1]); /* the end is reported even if no event is asked for */
	fds[0].events = 0;
	loop_arrange(&loop, fds, 1, LOOP_NEVER);
	loop_wait(&loop, -1);
	loop_collect(&loop);
	if (fds[0].revents != POLLHUP)
		return 5;
	loop_arrange(&loop, fds, 1, monotonic_us());
	if (!has_something())
		return 6;
	return monotonic_us() - began > 5000000 ? 7 : 0;
}

static void test_what_epoll_refuses_is_not_taken_for_ready(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(wait_without_watches());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_what_another_waits_for_is_waited_for(void **state)
{
	struct pollfd fds[] = {
		{ends[0], POLLIN, 0}
        };
	struct loop other = loop_none();

	(void)state;
	loop_arrange(&other, fds, 1, LOOP_NEVER);
	loop_follow(&loop, &other, LOOP_NEVER);
	assert_false(has_something());
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(has_something());
	loop_collect(&loop);
	fds[0].fd = -1; /* it has been checked, and is not asked again */
	loop_collect(&other);
	assert_int_equal(fds[0].revents, POLLIN);
	loop_arrange(&other, fds, 1, LOOP_NEVER);
	loop_follow(&loop, &other, LOOP_NEVER);
	assert_false(has_something());
}

static void test_the_moment_of_another_is_waited_for(void **state)
{
	struct loop other = loop_none();

	(void)state;
	loop_arrange(&other, NULL, 0, monotonic_us());
	loop_follow(&loop, &other, LOOP_NEVER);
	assert_false(loop_wait(&loop, -1));
	loop_arrange(&loop, NULL, 0, LOOP_NEVER);
	assert_false(has_something());
}

static void test_more_than_a_descriptor_of_its_own_carries_is_waited_for(void **state)
{
	struct pollfd fds[10 * LOOP_MAX];
	struct loop many = loop_none();

	(void)state;
	for (int i = 0; i < 10 * LOOP_MAX; i++)
		fds[i] = (struct pollfd){ends[0], POLLIN, 0};
	assert_int_equal(write(ends[1], "x", 1), 1);
	loop_arrange(&many, fds, 10 * LOOP_MAX, LOOP_NEVER);
	assert_false(loop_wait(&many, -1));
	loop_collect(&many);
	assert_int_equal(fds[10 * LOOP_MAX - 1].revents, POLLIN);
}

static void test_one_descriptor_is_waited_for_until_a_moment(void **state)
{
	uint64_t end_us = monotonic_us() + 20000;

	(void)state;
	assert_false(fd_is_ready(ends[0], POLLIN));
	assert_false(fd_await(ends[0], POLLIN, end_us));
	assert_true(monotonic_us() >= end_us);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(fd_is_ready(ends[0], POLLIN));
	assert_true(fd_await(ends[0], POLLIN, LOOP_NEVER));
	own_close(&ends[1]);
	assert_true(fd_is_ready(ends[0], 0)); /* the end is seen in any case */
	assert_false(fd_is_ready(-1, POLLIN));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_is_ready_is_reported_until_it_is_not),
		TEST(test_a_closed_descriptor_that_another_holds_is_silent),
		TEST(test_a_number_that_is_another_file_by_now),
		TEST(test_a_file_is_always_ready),
		TEST(test_one_descriptor_for_two),
		TEST(test_what_epoll_refuses_is_not_taken_for_ready),
		TEST(test_the_timer_rings),
		TEST(test_waiting_without_a_descriptor),
		TEST(test_what_another_waits_for_is_waited_for),
		TEST(test_the_moment_of_another_is_waited_for),
		TEST(test_more_than_a_descriptor_of_its_own_carries_is_waited_for),
		TEST(test_one_descriptor_is_waited_for_until_a_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
