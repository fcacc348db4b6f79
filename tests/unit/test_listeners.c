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

/* -- one socket, two published ports --------------------------------------------------------- */

static struct egress_published place = {.host_port = 9, .port = 8000};

static struct egress_spec one_port(uint16_t port)
{
	place.port = port;
	return (struct egress_spec){.published = &place, .published_count = 1};
}

static int in_use(void)
{
	int count = 0;

	for (unsigned i = 1; i < listeners->count; i++) /* the first is that of begin() */
		count += listeners->items[i].fd >= 0;
	return count;
}

static uint16_t who_accepts(void)
{
	for (unsigned i = 1; i < listeners->count; i++) {
		if (listeners->items[i].watch.fd >= 0)
			return listeners->items[i].at.port;
	}
	return 0;
}

static void publishes(uint16_t port)
{
	struct egress_spec more = one_port(port);
	int fd = listeners_lacking(listeners, &more) ? socket(AF_INET, SOCK_STREAM, 0) : -1;
	struct err e;

	accepts(listeners_check(listeners, &more, &e), "room");
	listeners_publish(listeners, egress, &more, &fd);
	assert_int_equal(fd, -1); /* it was taken, or there was none */
	accepts(listeners_start_published(listeners, &e), "start");
}

static void withdraws(uint16_t port)
{
	struct egress_spec less = one_port(port);

	listeners_withdraw(listeners, &less);
	assert_false(listeners_tick(listeners));
}

static void test_a_port_takes_over_the_socket_of_its_place(void **state)
{
	(void)state;
	publishes(8000);
	assert_int_equal(who_accepts(), 8000);
	publishes(8001);
	assert_int_equal(in_use(), 1);
	assert_int_equal(who_accepts(), 8001);
	withdraws(8000);
	assert_int_equal(who_accepts(), 8001);
	withdraws(8001);
	assert_int_equal(in_use(), 0);
	publishes(8000);
	assert_int_equal(listeners->count, 3); /* places are used again */
	withdraws(8000);
}

static void test_a_port_that_is_taken_back_gives_its_socket_back(void **state)
{
	(void)state;
	publishes(8000);
	publishes(8001);
	withdraws(8001);
	assert_int_equal(in_use(), 1);
	assert_int_equal(who_accepts(), 8000);
	withdraws(8000);
	assert_int_equal(in_use(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_it_pauses_while_no_descriptor_is_left),
		TEST(test_it_goes_on_after_the_pause),
		TEST(test_a_port_takes_over_the_socket_of_its_place),
		TEST(test_a_port_that_is_taken_back_gives_its_socket_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
