/*
 * test_hub - moments and deaths on one loop.
 */
#include "unit.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "client/hub.h"
#include "loop/clock.h"

static struct hub *hub;
static unsigned rang;

static int open_hub(void **state)
{
	struct err e;

	(void)state;
	rang = 0;
	hub = hub_open(&e);
	return hub ? 0 : -1;
}

static int open_lone(void **state)
{
	(void)state;
	rang = 0;
	hub = hub_open_lone();
	return 0;
}

static int close_hub(void **state)
{
	(void)state;
	hub_close(hub);
	return 0;
}

static void note_ring(void *context)
{
	unsigned *order = context;

	*order = ++rang;
}

static void test_moments_come_in_their_order(void **state)
{
	const uint64_t now = monotonic_us();
	unsigned early = 0;
	unsigned late = 0;
	unsigned never = 0;
	struct hub_timer first = {.ring = note_ring, .context = &early};
	struct hub_timer second = {.ring = note_ring, .context = &late};
	struct hub_timer silent = {.ring = note_ring, .context = &never};

	(void)state;
	hub_ring(hub, &second, now + 2000);
	hub_ring(hub, &silent, now + 1000);
	hub_ring(hub, &first, now);
	hub_silence(hub, &silent);
	while (rang < 2)
		hub_turn(hub);
	assert_int_equal(early, 1);
	assert_int_equal(late, 2);
	assert_int_equal(never, 0);
	assert_true(monotonic_us() >= now + 2000);
}

/* A caller may set it with every byte that comes: then nothing is sought in the list. */
static void test_one_that_is_set_to_its_moment_again_keeps_its_place(void **state)
{
	const uint64_t now = monotonic_us();
	unsigned one = 0;
	unsigned other = 0;
	struct hub_timer first = {.ring = note_ring, .context = &one};
	struct hub_timer second = {.ring = note_ring, .context = &other};

	(void)state;
	hub_ring(hub, &first, now);
	hub_ring(hub, &second, now);
	hub_ring(hub, &first, now);
	while (rang < 2)
		hub_turn(hub);
	assert_int_equal(one, 1);
	assert_int_equal(other, 2);
}

static void ring_again(void *context)
{
	hub_ring(hub, context, 0);
	rang++;
}

static void note_ready(void *context, uint32_t events)
{
	*(uint32_t *)context = events;
}

/* Descriptors have their turn, whatever timers do. */
static void test_one_that_is_always_due_holds_nothing_up(void **state)
{
	uint32_t events = 0;
	struct hub_timer always = {.ring = ring_again, .context = &always};
	struct hub_watch watch = {.ready = note_ready, .context = &events, .fd = -1};
	int ends[2];
	struct err e;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(hub_watch(hub, &watch, ends[1], EPOLLOUT, &e), 0);
	hub_ring(hub, &always, 0);
	hub_turn(hub);
	hub_turn(hub);
	assert_int_equal(events, EPOLLOUT);
	assert_true(rang <= 2);
	hub_unwatch(hub, &watch);
	hub_silence(hub, &always);
	close(ends[0]);
	close(ends[1]);
}

/* It ignores everything but SIGKILL. */
static pid_t start_child(int *pidfd)
{
	pid_t pid = fork();

	while (pid == 0)
		pause();
	assert_true(pid > 0);
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	assert_true(*pidfd >= 0);
	return pid;
}

static void test_what_is_killed_is_reaped_in_turns(void **state)
{
	struct ending ending = ending_none();
	pid_t pid = start_child(&ending.pidfd);

	(void)state;
	ending.child = pid;
	endings_add(hub_endings(hub), &ending);
	assert_int_equal(ending.pidfd, -1);
	while (hub_endings(hub)->count)
		hub_turn(hub);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* A moment far away, or none, does not keep a turn from looking at it. */
static void test_a_death_is_looked_for_before_a_moment(void **state)
{
	unsigned order = 0;
	struct hub_timer far = {.ring = note_ring, .context = &order};
	struct ending ending = ending_none();
	pid_t pid = start_child(&ending.pidfd);

	(void)state;
	hub_ring(hub, &far, monotonic_us() + 3600000000ull);
	ending.child = pid;
	endings_add(hub_endings(hub), &ending);
	while (hub_endings(hub)->count)
		hub_turn(hub);
	assert_int_equal(rang, 0);
	hub_silence(hub, &far);
}

static void test_the_end_waits_for_what_was_killed(void **state)
{
	struct ending ending = ending_none();
	pid_t pid = start_child(&ending.pidfd);

	(void)state;
	ending.child = pid;
	endings_add(hub_endings(hub), &ending);
	hub_close(hub);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	hub = hub_open_lone();
}

static void test_a_lone_hub_takes_few(void **state)
{
	struct hub_watch watches[LOOP_ALSO + 1];
	struct err e;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	for (unsigned i = 0; i < LOOP_ALSO; i++)
		assert_int_equal(hub_watch(hub, &watches[i], ends[0], EPOLLIN, &e), 0);
	refuses(hub_watch(hub, &watches[LOOP_ALSO], ends[0], EPOLLIN, &e), "one more", ERR_LIMIT,
		"lone hub");
	assert_int_equal(watches[LOOP_ALSO].fd, -1);
	hub_unwatch(hub, &watches[0]);
	assert_int_equal(hub_watch(hub, &watches[LOOP_ALSO], ends[0], EPOLLIN, &e), 0);
	close(ends[0]);
	close(ends[1]);
}

#define of(test, setup)                                                                            \
	{                                                                                          \
#test, test, setup, close_hub, NULL                                                \
	}
#define one(test) of(test, open_hub), of(test, open_lone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		one(test_moments_come_in_their_order),
		one(test_one_that_is_set_to_its_moment_again_keeps_its_place),
		one(test_one_that_is_always_due_holds_nothing_up),
		one(test_what_is_killed_is_reaped_in_turns),
		one(test_a_death_is_looked_for_before_a_moment),
		one(test_the_end_waits_for_what_was_killed),
		of(test_a_lone_hub_takes_few, open_lone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
