/*
 * test_inside_egress - the sockets of a sandbox are handed over whatever else its user has on its
 * way between processes.
 */
#include "unit.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "inside/confine.h"

#define USER      54321 /* who has nothing else in flight */
#define SOFT      64
#define IN_FLIGHT 100

/* One message with this many descriptors, which nobody takes out. */
static int send_copies(unsigned count)
{
	char byte = 0;
	struct iovec iov = {&byte, 1};
	union {
		char bytes[CMSG_SPACE(IN_FLIGHT * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = CMSG_SPACE(count * sizeof(int))};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		return -1;
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(count * sizeof(int));
	memset(CMSG_DATA(header), 0, count * sizeof(int)); /* copies of descriptor 0 */
	return sendmsg(pair[0], &message, 0) == 1 ? 0 : -1;
}

enum { OK, NO_SETUP, NO_FLIGHT, NOT_HANDED_OVER, LIMIT_STAYS };

static int hand_over(void)
{
	const uint16_t port = 0; /* any */
	struct inside_plan plan = {.egress_ports = &port, .egress_port_count = 1};
	struct rlimit limit;
	struct err e;
	int pair[2];

	if (geteuid() == 0 && setresuid(USER, USER, USER))
		return NO_SETUP;
	if (getrlimit(RLIMIT_NOFILE, &limit) || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		return NO_SETUP;
	limit.rlim_cur = SOFT;
	if (limit.rlim_max < 4 * SOFT || setrlimit(RLIMIT_NOFILE, &limit))
		return NO_SETUP;
	if (send_copies(IN_FLIGHT))
		return NO_FLIGHT;
	plan.egress_fd = pair[0];
	if (write(pair[1], "", 1) != 1) /* what it waits for */
		return NO_SETUP;
	if (confine_egress(&plan, &e))
		return NOT_HANDED_OVER;
	return getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur != SOFT ? LIMIT_STAYS : OK;
}

static void test_what_others_have_in_flight_is_no_obstacle(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(hand_over());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), OK);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_others_have_in_flight_is_no_obstacle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
