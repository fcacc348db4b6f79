/*
 * test_spawn - the reports of a sandbox's pid 1, as they arrive.
 */
#include "unit.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include "base/own.h"
#include "net/message.h"
#include "sandbox/spawn.h"

static struct child child;
static int theirs;

static int begin(void **state)
{
	(void)state;
	child = child_none();
	return message_pair(SOCK_SEQPACKET, &child.control, &theirs);
}

static int end(void **state)
{
	(void)state;
	own_close(&child.control);
	own_close(&theirs);
	return 0;
}

/* Receive a report of this kind with a descriptor, with or without room for it. */
static struct report receive(enum report_kind kind, bool room, int *fd)
{
	struct report r = {.kind = kind};
	struct rlimit old;
	struct rlimit none;

	assert_int_equal(message_send(theirs, &r, sizeof(r), &theirs, 1, 0), sizeof(r));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){0, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, room ? &old : &none), 0);
	assert_int_equal(child_receive(child.control, &r, fd), 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	return r;
}

static void test_a_descriptor_comes_along(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(receive(REPORT_FD_STAGE, true, &fd).kind, REPORT_FD_STAGE);
	assert_true(fd >= 0);
	own_close(&fd);
}

/* Otherwise the program's files, or its terminal, would be missing without an error. */
static void test_one_for_which_there_is_no_room_is_an_error_of_ours(void **state)
{
	static const enum report_kind kinds[] = {REPORT_FD_STAGE, REPORT_FD_PTY};
	struct report r;
	int fd;

	(void)state;
	needs_no_valgrind("a limit of descriptors is not the kernel's");
	for (size_t i = 0; i < COUNT(kinds); i++) {
		r = receive(kinds[i], false, &fd);
		assert_int_equal(r.kind, REPORT_ERROR);
		assert_int_equal(r.error.kind, ERR_LIMIT);
		assert_non_null(strstr(r.error.text, "ulimit -n"));
		assert_int_equal(fd, -1);
	}
}

/* That of the root is only closed, and without what its network counts a run goes on. */
static void test_one_that_a_run_can_do_without_may_be_missing(void **state)
{
	static const enum report_kind kinds[] = {REPORT_FD_ROOT, REPORT_PARTED};
	int fd;

	(void)state;
	needs_no_valgrind("a limit of descriptors is not the kernel's");
	for (size_t i = 0; i < COUNT(kinds); i++) {
		assert_int_equal(receive(kinds[i], false, &fd).kind, kinds[i]);
		assert_int_equal(fd, -1);
	}
}

int main(void)
{
#define one(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		one(test_a_descriptor_comes_along),
		one(test_one_for_which_there_is_no_room_is_an_error_of_ours),
		one(test_one_that_a_run_can_do_without_may_be_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
