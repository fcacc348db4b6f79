/*
 * test_message - descriptors and credentials that cross a unix socket.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/message.h"

struct ends {
	int ours;
	int theirs;
};

static struct ends make_ends(int type)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair), 0);
	return (struct ends){pair[0], pair[1]};
}

static void close_ends(const struct ends *e)
{
	close(e->ours);
	close(e->theirs);
}

static void send_copies(const struct ends *e, unsigned count)
{
	int fds[MESSAGE_MAX_FDS];

	for (unsigned i = 0; i < count; i++)
		fds[i] = e->ours;
	assert_int_equal(message_send(e->ours, "x", 1, fds, count, 0), 1);
}

static void test_bytes_alone(void **state)
{
	struct ends e = make_ends(SOCK_SEQPACKET);
	struct message_extra extra;
	char bytes[8];

	(void)state;
	assert_int_equal(message_send(e.ours, "hello", 5, NULL, 0, 0), 5);
	assert_int_equal(message_receive(e.theirs, bytes, sizeof(bytes), 0, &extra), 5);
	assert_memory_equal(bytes, "hello", 5);
	assert_int_equal(extra.fd_count, 0);
	assert_int_equal(extra.sender, 0);
	assert_false(extra.truncated);
	close_ends(&e);
}

static void test_one_descriptor_is_taken_and_the_rest_closed(void **state)
{
	struct ends e = make_ends(SOCK_SEQPACKET);
	unsigned before = unit_count_open();
	struct message_extra extra;
	char byte;
	int fd;

	(void)state;
	send_copies(&e, 3);
	assert_int_equal(message_receive(e.theirs, &byte, 1, 0, &extra), 1);
	assert_int_equal(extra.fd_count, 3);
	fd = message_take(&extra);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(unit_count_open(), before + 1);
	close(fd);
	assert_int_equal(message_take(&extra), -1);
	close_ends(&e);
}

static void test_as_many_as_the_kernel_lets_through(void **state)
{
	struct ends e = make_ends(SOCK_SEQPACKET);
	unsigned before = unit_count_open();
	struct message_extra extra;
	char byte;

	(void)state;
	send_copies(&e, MESSAGE_MAX_FDS);
	assert_int_equal(message_receive(e.theirs, &byte, 1, 0, &extra), 1);
	assert_int_equal(extra.fd_count, MESSAGE_MAX_FDS);
	assert_false(extra.truncated);
	message_drop(&extra);
	message_drop(&extra);
	assert_int_equal(unit_count_open(), before);
	assert_int_equal(message_send(e.ours, "x", 1, extra.fds, MESSAGE_MAX_FDS + 1, 0), -1);
	assert_int_equal(errno, EMSGSIZE);
	close_ends(&e);
}

static void test_sender_comes_with_descriptors(void **state)
{
	struct ends e = make_ends(SOCK_SEQPACKET);
	struct message_extra extra;
	const int on = 1;
	char byte;

	(void)state;
	assert_int_equal(setsockopt(e.theirs, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
	send_copies(&e, MESSAGE_MAX_FDS);
	assert_int_equal(message_receive(e.theirs, &byte, 1, 0, &extra), 1);
	assert_int_equal(extra.sender, getpid());
	assert_int_equal(extra.fd_count, MESSAGE_MAX_FDS);
	message_drop(&extra);
	close_ends(&e);
}

static void test_longer_message_is_marked(void **state)
{
	struct ends e = make_ends(SOCK_SEQPACKET);
	struct message_extra extra;
	char bytes[4];

	(void)state;
	assert_int_equal(message_send(e.ours, "too long", 8, NULL, 0, 0), 8);
	assert_int_equal(message_receive(e.theirs, bytes, sizeof(bytes), 0, &extra), 4);
	assert_true(extra.truncated);
	close_ends(&e);
}

/* The limit is ours; the sender has done nothing wrong. */
static void test_no_room_for_descriptors_is_told_apart(void **state)
{
	struct ends e = make_ends(SOCK_SEQPACKET);
	unsigned before = unit_count_open();
	struct message_extra extra;
	struct rlimit old;
	int next = dup(0);
	char byte;

	(void)state;
	needs_no_valgrind("a limit of descriptors is not the kernel's");
	close(next);
	send_copies(&e, 3);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	for (int room = 0; room < 3; room++) {
		const struct rlimit few = {(rlim_t)next + room, old.rlim_max};

		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		assert_int_equal(message_receive(e.theirs, &byte, 1, 0, &extra), 1);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		assert_true(extra.lacks_fds);
		assert_false(extra.truncated);
		assert_int_equal(extra.fd_count, 0);
		assert_int_equal(unit_count_open(), before);
		send_copies(&e, 3);
	}
	assert_int_equal(message_receive(e.theirs, &byte, 1, 0, &extra), 1);
	assert_false(extra.lacks_fds);
	message_drop(&extra);
	close_ends(&e);
}

/* Runs in a process without privilege. Returns 0, or the number of the step that failed. */
static int send_over_the_soft_limit(void)
{
	enum { SOFT = 64, MANY = 4 * SOFT };
	const struct rlimit limit = {SOFT, 4 * MANY};
	struct rlimit after;
	int others[2];
	int ours[2];
	int sent = 0;

	if (geteuid() == 0 && setresuid(61234, 61234, 61234))
		return 1;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 2;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, others) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, ours))
		return 3;
	/* The kernel refuses more descriptors in flight than the soft limit; these are more. */
	while (sent < MANY && message_send(others[0], "x", 1, others, 1, MSG_DONTWAIT) == 1)
		sent++;
	if (sent != MANY)
		return 4;
	if (getrlimit(RLIMIT_NOFILE, &after) || after.rlim_cur != SOFT)
		return 5;
	return message_send(ours[0], "x", 1, ours, 1, 0) == 1 ? 0 : 6;
}

/* A sandbox of the same user can have more descriptors in flight than the sender's soft limit. */
static void test_what_others_have_in_flight(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	needs_no_valgrind("a limit of descriptors is not the kernel's");
	pid = fork();
	if (pid == 0)
		_exit(send_over_the_soft_limit());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_nothing_there_and_the_end(void **state)
{
	struct ends e = make_ends(SOCK_STREAM);
	struct message_extra extra;
	char byte;

	(void)state;
	assert_int_equal(message_receive(e.theirs, &byte, 1, MSG_DONTWAIT, &extra), -1);
	assert_int_equal(errno, EAGAIN);
	close(e.ours);
	assert_int_equal(message_receive(e.theirs, &byte, 1, 0, &extra), 0);
	assert_int_equal(extra.fd_count, 0);
	/* There is no SIGPIPE, which would end us. */
	assert_int_equal(message_send(e.theirs, "x", 1, NULL, 0, 0), -1);
	assert_int_equal(errno, EPIPE);
	close(e.theirs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_alone),
		cmocka_unit_test(test_one_descriptor_is_taken_and_the_rest_closed),
		cmocka_unit_test(test_as_many_as_the_kernel_lets_through),
		cmocka_unit_test(test_sender_comes_with_descriptors),
		cmocka_unit_test(test_longer_message_is_marked),
		cmocka_unit_test(test_no_room_for_descriptors_is_told_apart),
		cmocka_unit_test(test_nothing_there_and_the_end),
		cmocka_unit_test(test_what_others_have_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
