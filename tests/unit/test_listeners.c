/*
 * test_listeners - a listener of glovebox-egress when no descriptor is left: it pauses, and goes on
 * by itself. The time is the test's own.
 */
#include "unit.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/own.h"
#include "egress/flow.h"
#include "egress/listeners.h"

static struct egress *egress;
static struct listeners *listeners;
static struct rlimit limit_before;
static int client;

/* A listener with one connection that nobody has accepted yet. */
static int begin(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct err e;

	(void)state;
	egress = own_zeroed(1, sizeof(*egress));
	listeners = own_zeroed(1, sizeof(*listeners));
	egress->record.log = -1;
	egress->share = SIZE_MAX;
	accepts(reactor_open(&egress->reactor, &e), "reactor");
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &length), 0);
	listeners_add(listeners, egress, fd, 80);
	accepts(listeners_start(listeners, &e), "start");
	client = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(client, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit_before), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit_before), 0);
	flow_end_all(egress);
	listeners_close(listeners);
	close(egress->reactor.epoll);
	close(client);
	free(listeners);
	free(egress);
	return 0;
}

static void leave_no_descriptor(void)
{
	struct rlimit none = {.rlim_cur = 0, .rlim_max = limit_before.rlim_max};

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
}

static void test_it_pauses_while_no_descriptor_is_left(void **state)
{
	const struct listener *at = &listeners->items[0];

	(void)state;
	leave_no_descriptor();
	reactor_turn(&egress->reactor, 0);
	assert_int_equal(at->watch.fd, -1);
	assert_true(listeners_tick(listeners)); /* this moment */
	assert_int_equal(at->watch.fd, -1);
	egress->reactor.now_ms = at->retry_ms - 1;
	assert_true(listeners_tick(listeners));
	assert_int_equal(at->watch.fd, -1);
	assert_int_equal(egress->record.counters.connections, 0);
}

static void test_it_goes_on_after_the_pause(void **state)
{
	const struct listener *at = &listeners->items[0];

	(void)state;
	needs_no_valgrind("a limit of descriptors is not the kernel's");
	leave_no_descriptor();
	reactor_turn(&egress->reactor, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit_before), 0);
	egress->reactor.now_ms = at->retry_ms;
	assert_false(listeners_tick(listeners));
	assert_true(at->watch.fd >= 0);
	reactor_turn(&egress->reactor, 0);
	assert_int_equal(egress->record.counters.connections, 1); /* and it is in no list */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_it_pauses_while_no_descriptor_is_left),
		TEST(test_it_goes_on_after_the_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
