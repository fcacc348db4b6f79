/*
 * test_freezing - a session is frozen without a wait for the disk that its memory goes to. The
 * freezer is simulated, and the disk is a FIFO that takes its time.
 */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/own.h"
#include "cgroup/cgroup.h"
#include "loop/clock.h"
#include "session/freezing.h"

#define DISK "disk"

static struct session session;
static struct endings endings;
static struct cgroup_memory memory;
static struct err e;
static int directory;
static unsigned open_before;
static bool has_swap;
static unsigned looks; /* at the memory */

/* -- instead of cgroup_freezer.c ------------------------------------------------------------- */

int cgroup_freeze_once(const struct cgroup_ref *ref, struct err *err)
{
	(void)ref, (void)err;
	return 1;
}

int cgroup_thaw_once(const struct cgroup_ref *ref, struct err *err)
{
	return cgroup_freeze_once(ref, err);
}

int cgroup_freeze(const struct cgroup_ref *ref, struct err *err)
{
	return cgroup_freeze_once(ref, err) - 1;
}

int cgroup_thaw(const struct cgroup_ref *ref, struct err *err)
{
	return cgroup_freeze_once(ref, err) - 1;
}

void cgroup_read_memory(const struct cgroup_ref *ref, struct cgroup_memory *out)
{
	(void)ref;
	*out = (struct cgroup_memory){.has_swap = has_swap, .swapped_bytes = ++looks};
}

/* Runs: the child. */
void cgroup_swap_out(const struct cgroup_ref *ref)
{
	const int disk = openat(ref->dirs[0], DISK, O_WRONLY | O_CLOEXEC);

	if (disk >= 0)
		close(disk);
}

/* -------------------------------------------------------------------------------------------- */

static int begin(void **state)
{
	(void)state;
	open_before = unit_count_open();
	directory = unit_enter();
	assert_int_equal(mkfifoat(directory, DISK, 0600), 0);
	session = session_none();
	session.group.dirs[0] = directory;
	session.group.count = 1;
	has_swap = true;
	looks = 0;
	return 0;
}

/* Whatever a test has done: no child, no descriptor. */
static int end(void **state)
{
	(void)state;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(endings.count, 0);
	endings_fini(&endings);
	unit_leave(directory);
	assert_int_equal(unit_count_open(), open_before);
	return 0;
}

static void test_without_swap_nothing_is_moved(void **state)
{
	struct freezing *x = freezing_start(&session);

	(void)state;
	has_swap = false;
	assert_true(freezing_step(x));
	assert_true(session.frozen);
	accepts(freezing_end(x, &endings, &memory, &e), "a session without swap");
	assert_int_equal(memory.swapped_bytes, 1);
}

static void test_a_slow_disk_is_waited_for_outside_of_the_step(void **state)
{
	struct freezing *x = freezing_start(&session);
	auto_fd int disk = -1;
	uint64_t began_us;

	(void)state;
	assert_false(freezing_step(x));
	assert_true(session.frozen);
	assert_false(freezing_step(x));
	assert_int_equal(looks, 1);
	disk = openat(directory, DISK, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(disk >= 0);
	began_us = monotonic_us();
	loop_wait(freezing_loop(x), -1);
	assert_true(monotonic_us() - began_us < 8000000); /* its end is seen, not its deadline */
	assert_true(freezing_step(x));
	accepts(freezing_end(x, &endings, &memory, &e), "a slow disk");
	assert_int_equal(memory.swapped_bytes, 2); /* looked at anew */
}

static void test_what_waits_no_longer_is_frozen_all_the_same(void **state)
{
	struct freezing *x = freezing_start(&session);

	(void)state;
	assert_false(freezing_step(x));
	freezing_cancel(x);
	loop_wait(freezing_loop(x), -1);
	assert_true(freezing_step(x));
	accepts(freezing_end(x, NULL, &memory, &e), "a disk that does not answer");
	assert_true(session.frozen);
	assert_int_equal(memory.swapped_bytes, 2);
}

static void test_who_gives_up_leaves_no_child(void **state)
{
	struct freezing *x = freezing_start(&session);

	(void)state;
	assert_false(freezing_step(x));
	refuses(freezing_end(x, &endings, &memory, &e), "one that is given up", ERR_SYSTEM,
		"given up");
	assert_true(session.frozen);
	while (endings.count) {
		poll(NULL, 0, endings_timeout_ms(&endings));
		endings_look(&endings);
	}
	x = freezing_start(&session);
	assert_false(freezing_step(x));
	assert_int_equal(freezing_end(x, NULL, NULL, &e), -1);
}

/* What its parent closes would stay open for as long as the disk takes. */
static void test_the_child_holds_nothing_of_its_parents(void **state)
{
	struct freezing *x = freezing_start(&session);
	struct pollfd slot;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_false(freezing_step(x));
	close(ends[1]);
	slot = (struct pollfd){ends[0], POLLIN, 0};
	assert_int_equal(poll(&slot, 1, 10000), 1);
	assert_int_equal(slot.revents, POLLHUP);
	close(ends[0]);
	assert_int_equal(freezing_end(x, NULL, NULL, &e), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_without_swap_nothing_is_moved, begin, end),
		cmocka_unit_test_setup_teardown(test_a_slow_disk_is_waited_for_outside_of_the_step,
						begin, end),
		cmocka_unit_test_setup_teardown(test_what_waits_no_longer_is_frozen_all_the_same,
						begin, end),
		cmocka_unit_test_setup_teardown(test_who_gives_up_leaves_no_child, begin, end),
		cmocka_unit_test_setup_teardown(test_the_child_holds_nothing_of_its_parents, begin,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
