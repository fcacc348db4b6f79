/*
 * test_http_sockets - what an HTTP client waits for, and how much its connections have received.
 */
#include "unit.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/server/http_sockets.h"

static const struct pollfd *awaited(const struct http_sockets *s, int fd)
{
	for (unsigned i = 0; i < LOOP_MAX; i++) {
		if (s->awaited[i].fd == fd)
			return &s->awaited[i];
	}
	return NULL;
}

static void test_the_last_word_about_a_descriptor_counts(void **state)
{
	struct http_sockets s;

	(void)state;
	http_sockets_init(&s);
	assert_int_equal(http_sockets_await(&s, 7, POLLIN), 0);
	assert_int_equal(http_sockets_await(&s, 8, POLLOUT), 0);
	assert_int_equal(http_sockets_await(&s, 7, POLLIN | POLLOUT), 0);
	assert_int_equal(awaited(&s, 7)->events, POLLIN | POLLOUT);
	assert_int_equal(awaited(&s, 8)->events, POLLOUT);
	assert_int_equal(http_sockets_await(&s, 7, 0), 0);
	assert_null(awaited(&s, 7));
	assert_int_equal(http_sockets_await(&s, 7, 0), 0); /* nobody waited for it */
	assert_non_null(awaited(&s, 8));
}

static void test_each_report_is_taken_once(void **state)
{
	struct http_sockets s;

	(void)state;
	http_sockets_init(&s);
	for (int fd = 5; fd < 8; fd++)
		http_sockets_await(&s, fd, POLLIN);
	assert_int_equal(http_sockets_ready(&s), -1);
	s.awaited[0].revents = POLLIN;
	s.awaited[2].revents = POLLHUP;
	assert_int_equal(http_sockets_ready(&s), 5);
	assert_int_equal(http_sockets_ready(&s), 7);
	assert_int_equal(http_sockets_ready(&s), -1);
}

static void test_a_report_is_not_the_next_descriptors(void **state)
{
	struct http_sockets s;

	(void)state;
	http_sockets_init(&s);
	http_sockets_await(&s, 7, POLLIN);
	s.awaited[0].revents = POLLIN;
	http_sockets_await(&s, 7, 0);
	assert_int_equal(http_sockets_ready(&s), -1);
	http_sockets_await(&s, 9, POLLIN);
	assert_ptr_equal(awaited(&s, 9), &s.awaited[0]);
	assert_int_equal(http_sockets_ready(&s), -1);
}

static void test_too_many_are_an_error(void **state)
{
	struct http_sockets s;

	(void)state;
	http_sockets_init(&s);
	for (int fd = 0; fd < LOOP_MAX; fd++)
		assert_int_equal(http_sockets_await(&s, fd, POLLIN), 0);
	assert_int_equal(http_sockets_await(&s, LOOP_MAX, POLLIN), -1);
	assert_int_equal(http_sockets_await(&s, LOOP_MAX, 0), 0);
	assert_int_equal(http_sockets_await(&s, 3, POLLOUT), 0);
}

static void test_what_open_connections_have_received(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct http_sockets s;
	char bytes[5];
	int from;

	(void)state;
	assert_int_equal(bind(listener, (struct sockaddr *)&at, size), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &size), 0);
	assert_int_equal(connect(to, (struct sockaddr *)&at, size), 0);
	from = accept(listener, NULL, NULL);
	http_sockets_init(&s);
	http_sockets_add(&s, to);
	assert_int_equal(http_sockets_received(&s), 0);
	assert_int_equal(send(from, "12345", 5, 0), 5);
	assert_int_equal(recv(to, bytes, 5, MSG_WAITALL), 5);
	assert_int_equal(http_sockets_received(&s), 5);
	http_sockets_remove(&s, to);
	assert_int_equal(http_sockets_received(&s), 0);
	close(from);
	close(to);
	close(listener);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_last_word_about_a_descriptor_counts),
		cmocka_unit_test(test_each_report_is_taken_once),
		cmocka_unit_test(test_a_report_is_not_the_next_descriptors),
		cmocka_unit_test(test_too_many_are_an_error),
		cmocka_unit_test(test_what_open_connections_have_received),
	};

	return cmocka_run_group_tests_name("http_sockets", tests, NULL, NULL);
}
