/*
 * test_http_peer - connections are counted by the address at their other end.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/own.h"
#include "web/http_peer.h"

static struct http_peers peers;

/* A connection from this address of the loopback. */
struct connection {
	int server;
	int client; /* open, because a peer that is gone has no address */
};

static struct connection connection_from(uint32_t address)
{
	auto_fd int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr = {htonl(address)}};
	socklen_t size = sizeof(here);
	int fd;

	assert_int_equal(bind(listener, (struct sockaddr *)&here, size), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&here, &size), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(bind(client, (struct sockaddr *)&there, sizeof(there)), 0);
	assert_int_equal(connect(client, (struct sockaddr *)&here, size), 0);
	fd = accept4(listener, (struct sockaddr *)&there, &size, SOCK_CLOEXEC);
	assert_true(fd >= 0);
	return (struct connection){fd, client};
}

static void close_both(struct connection c)
{
	close(c.client);
	close(c.server);
}

static unsigned buckets_in_use(void)
{
	unsigned count = 0;

	for (size_t i = 0; i < HTTP_PEER_BUCKETS; i++)
		count += peers.buckets[i] != NULL;
	return count;
}

static void test_connections_of_one_address_are_counted_together(void **state)
{
	struct connection fds[3] = {connection_from(0x7f000001), connection_from(0x7f000001),
				    connection_from(0x7f000002)};
	struct http_peer *one = http_peer_enter(&peers, fds[0].server);
	struct http_peer *two = http_peer_enter(&peers, fds[1].server);
	struct http_peer *other = http_peer_enter(&peers, fds[2].server);

	(void)state;
	assert_ptr_equal(one, two);
	assert_ptr_not_equal(one, other);
	assert_int_equal(one->connections, 2);
	assert_int_equal(other->connections, 1);
	http_peer_leave(&peers, two);
	assert_int_equal(one->connections, 1);
	http_peer_leave(&peers, one);
	http_peer_leave(&peers, other);
	assert_int_equal(buckets_in_use(), 0);
	for (int i = 0; i < 3; i++)
		close_both(fds[i]);
}

/* More addresses than buckets: each is found again, in whatever order they leave. */
static void test_addresses_that_share_a_bucket(void **state)
{
	enum { MANY = 3 * HTTP_PEER_BUCKETS };
	struct http_peer *all[MANY];

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		struct connection c = connection_from(0x7f000001 + i);

		all[i] = http_peer_enter(&peers, c.server);
		assert_int_equal(all[i]->connections, 1);
		assert_ptr_equal(http_peer_enter(&peers, c.server), all[i]);
		close_both(c);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		http_peer_leave(&peers, all[i * 7 % MANY]);
		http_peer_leave(&peers, all[i * 7 % MANY]);
	}
	assert_int_equal(buckets_in_use(), 0);
}

static void test_a_user_at_a_unix_socket_is_one(void **state)
{
	int pair[2];
	struct http_peer *one;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	one = http_peer_enter(&peers, pair[0]);
	assert_int_equal(one->address, getuid());
	assert_ptr_equal(http_peer_enter(&peers, pair[1]), one);
	http_peer_leave(&peers, one);
	http_peer_leave(&peers, one);
	assert_int_equal(buckets_in_use(), 0);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_connections_of_one_address_are_counted_together),
		cmocka_unit_test(test_addresses_that_share_a_bucket),
		cmocka_unit_test(test_a_user_at_a_unix_socket_is_one),
	};

	return cmocka_run_group_tests_name("http_peer", tests, NULL, NULL);
}
