/*
 * test_close_fds - which descriptors remain open, for any set that was open before.
 *
 * Each case is a forked child, which closes its descriptors and reports what remains.
 */
#include "unit.h"

#include <sys/wait.h>

#include "inside/confine.h"

#define HIGHEST 40

/* Returns the descriptors below HIGHEST that are open afterwards, one bit each. */
static uint64_t left_after(int (*close_step)(const struct inside_plan *, struct err *),
			   const struct inside_plan *plan, uint64_t open_before)
{
	int answer[2];
	uint64_t left = 0;
	int status;
	pid_t child;

	assert_int_equal(pipe(answer), 0);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		uint64_t *shared = &left;
		struct err e;
		int out = fcntl(answer[1], F_DUPFD, 200);

		for (int fd = 0; fd < HIGHEST; fd++) {
			if (!(open_before >> fd & 1))
				close(fd);
			else if (fcntl(fd, F_GETFD) < 0 && dup2(out, fd) < 0)
				_exit(1);
		}
		/*
		 * The answer goes through a descriptor that is kept; if none is, there is no
		 * answer.
		 */
		if (plan->control_fd >= 0)
			dup2(out, plan->control_fd);
		if (close_step(plan, &e))
			_exit(2);
		for (int fd = 0; fd < 256; fd++)
			*shared |= fcntl(fd, F_GETFD) >= 0 ? 1ull << (fd < HIGHEST ? fd : 63) : 0;
		_exit(write(plan->control_fd, shared, sizeof(*shared)) == sizeof(*shared) ? 0 : 3);
	}
	close(answer[1]);
	assert_int_equal(read(answer[0], &left, sizeof(left)), sizeof(left));
	close(answer[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return left;
}

#define BIT(fd) (1ull << (fd))

static void test_streams_and_control_socket_are_left(void **state)
{
	static const int controls[] = {3, 4, 5, 17, 38, 39};

	(void)state;
	for (size_t i = 0; i < COUNT(controls); i++) {
		struct inside_plan plan = {.control_fd = controls[i], .channel_fd = -1};

		assert_int_equal(left_after(confine_close_fds, &plan, BIT(HIGHEST) - 1),
				 7 | BIT(controls[i]));
	}
}

static void test_sparse_sets_are_closed_too(void **state)
{
	struct inside_plan plan = {.control_fd = 9, .channel_fd = -1};

	(void)state;
	assert_int_equal(left_after(confine_close_fds, &plan, 7 | BIT(9)), 7 | BIT(9));
	assert_int_equal(left_after(confine_close_fds, &plan, 7 | BIT(3) | BIT(9) | BIT(33)),
			 7 | BIT(9));
	/* Standard streams that were closed stay closed: opening them is the caller's business. */
	assert_int_equal(left_after(confine_close_fds, &plan, BIT(9) | BIT(10)), BIT(9));
}

static void test_init_keeps_the_control_socket_alone(void **state)
{
	(void)state;
	for (int control = 0; control < HIGHEST; control++) {
		struct inside_plan plan = {.control_fd = control};

		assert_int_equal(left_after(confine_init_close_fds, &plan, BIT(HIGHEST) - 1),
				 BIT(control));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams_and_control_socket_are_left),
		cmocka_unit_test(test_sparse_sets_are_closed_too),
		cmocka_unit_test(test_init_keeps_the_control_socket_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
