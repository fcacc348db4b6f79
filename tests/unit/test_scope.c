/*
 * test_scope - how the user's systemd is asked for a scope, and one that does not do it.
 */
#include "unit.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "cli/scope.h"
#include "cli/scope_request.h"

static int base = -1;
static char path[320];

static int listen_here(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(path, sizeof(path), "%s/private", unit_directory);
	assert_true(strlen(path) < sizeof(address.sun_path));
	strcpy(address.sun_path, path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 0), 0);
	return fd;
}

static int begin(void **state)
{
	(void)state;
	base = unit_enter();
	return 0;
}

static int end(void **state)
{
	(void)state;
	unit_leave(base);
	return 0;
}

static int connect_there(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	if (!connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

static bool never(void)
{
	return false;
}

static bool at_once(void)
{
	return true;
}

static void test_one_that_hangs_is_given_up(void **state)
{
	int fd = listen_here();
	struct err e;

	(void)state;
	refuses(scope_ask(path, never, 50, &e), path, ERR_SYSTEM, "@scope_ask#within 50");
	close(fd);
}

static void test_one_with_a_full_queue_is_given_up(void **state)
{
	int fd = listen_here();
	int clients[16];
	size_t count = 0;
	struct err e;

	(void)state;
	while (count < COUNT(clients) && (clients[count] = connect_there()) >= 0)
		count++;
	assert_true(count < COUNT(clients));
	refuses(scope_ask(path, never, 50, &e), path, ERR_SYSTEM, "takes no connection");
	while (count > 0)
		close(clients[--count]);
	close(fd);
}

static void test_nobody_listens(void **state)
{
	struct err e;

	(void)state;
	close(listen_here());
	refuses(scope_ask(path, never, 60000, &e), path, ERR_NOT_FOUND, "@scope_connect#nobody");
	unlink(path);
	refuses(scope_ask(path, never, 60000, &e), path, ERR_NOT_FOUND, "@scope_connect#nobody");
}

static int of_client = -1;

/* Between the question and the answer. */
static bool closed_by_systemd(void)
{
	if (of_client >= 0)
		close(accept(of_client, NULL, NULL));
	of_client = -1;
	return false;
}

static void test_one_that_refuses_is_not_waited_for(void **state)
{
	int fd = of_client = listen_here();
	struct err e;

	(void)state;
	refuses(scope_ask(path, closed_by_systemd, 60000, &e), path, ERR_SYSTEM, "refused");
	close(fd);
}

/* The bytes, as busctl(1) would send them for the same call; systemd's view is check-systemd's. */
static void test_what_is_asked(void **state)
{
	static const char auth[] = "\0AUTH EXTERNAL 31303031\r\nBEGIN\r\n";
	auto_buf struct buf b = {0};
	uint32_t body;
	uint32_t fields;
	const char *m;

	(void)state;
	scope_request(1001, "glovebox-7-8.scope", &b);
	assert_memory_equal(b.data, auth, sizeof(auth) - 1);
	m = b.data + sizeof(auth) - 1;
	assert_memory_equal(m + 1, "\1\1\1", 3);
	memcpy(&body, m + 4, 4);
	memcpy(&fields, m + 12, 4);
	fields = (fields + 7) / 8 * 8;
	assert_int_equal(b.length, sizeof(auth) - 1 + 16 + fields + body);
	m += 16 + fields;
	assert_string_equal(m + 4, "glovebox-7-8.scope");
	assert_string_equal(m + 4 + 19 + 1 + 4, "fail");
	assert_memory_equal(b.data + b.length - 4, "\0\0\0\0", 4);
}

static void test_it_is_sent_whole(void **state)
{
	int fd = listen_here();
	auto_buf struct buf wanted = {0};
	char got[1024];
	struct err e;
	int peer;

	(void)state;
	accepts(scope_ask(path, at_once, 60000, &e), path);
	peer = accept(fd, NULL, NULL);
	scope_request(geteuid(), "glovebox-", &wanted);
	assert_true(recv(peer, got, sizeof(got), MSG_WAITALL) > (ssize_t)wanted.length);
	assert_memory_equal(got, wanted.data, 16);
	close(peer);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one_that_hangs_is_given_up),
		TEST(test_one_with_a_full_queue_is_given_up),
		TEST(test_nobody_listens),
		TEST(test_one_that_refuses_is_not_waited_for),
		TEST(test_what_is_asked),
		TEST(test_it_is_sent_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
