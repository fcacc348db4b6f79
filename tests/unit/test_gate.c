/*
 * test_gate - what goes out to a server, by what the client and the server have said so far.
 */
#include "unit.h"

#include "client_hellos.h"
#include "egress/gate.h"

#define NAME "api.example.org"

static struct gate gate;

static int begin(void **state)
{
	(void)state;
	return 0;
}

static int end(void **state)
{
	(void)state;
	gate_fini(&gate);
	return 0;
}

/* What may go out now, which is then sent. */
static size_t sent(void)
{
	size_t size = gate.judged;

	assert_int_equal(gate_sent(&gate, size), 0);
	return size;
}

static void client_says(const void *bytes, size_t size)
{
	if (gate_client(&gate, bytes, size))
		fail_msg("refused: %s", gate.why);
}

static void server_says(const void *bytes, size_t size)
{
	if (gate_server(&gate, bytes, size))
		fail_msg("refused: %s", gate.why);
}

static void refused(const char *why)
{
	assert_non_null(gate.why);
	assert_says(gate.why, why);
}

/* -- TLS ---------------------------------------------------------------------------------- */

static void test_a_right_hello_goes_out_and_nothing_behind_it(void **state)
{
	(void)state;
	gate_init(&gate, EGRESS_TLS, NAME, 443);
	client_says(hello_tls13, sizeof(hello_tls13) - 1);
	assert_int_equal(sent(), 0);
	client_says(hello_tls13 + sizeof(hello_tls13) - 1, 1);
	client_says("early", 5);
	assert_int_equal(sent(), sizeof(hello_tls13));
	assert_false(gate_client_is_open(&gate));
	server_says(hello_answer13, sizeof(hello_answer13));
	assert_int_equal(sent(), 5);
	assert_true(gate_client_is_open(&gate));
	assert_true(gate_server_is_open(&gate));
}

static void test_another_name_is_refused(void **state)
{
	(void)state;
	gate_init(&gate, EGRESS_TLS, "www.example.org", 443);
	assert_int_equal(gate_client(&gate, hello_tls13, sizeof(hello_tls13)), -1);
	refused("@gate_judge_hello");
}

static void test_after_a_retry_the_next_hello_is_judged(void **state)
{
	(void)state;
	gate_init(&gate, EGRESS_TLS, NAME, 443);
	client_says(hello_first, sizeof(hello_first));
	assert_int_equal(sent(), sizeof(hello_first));
	server_says(hello_retry, sizeof(hello_retry));
	assert_false(gate_client_is_open(&gate));
	client_says(hello_second, sizeof(hello_second));
	assert_int_equal(sent(), sizeof(hello_second));
	server_says(hello_answer13, sizeof(hello_answer13));
	assert_true(gate_client_is_open(&gate));
}

/* The second hello names another host, in clear: servers believe it. */
static void test_after_a_retry_another_name_is_refused(void **state)
{
	uint8_t second[sizeof(hello_second)];
	uint8_t *at;

	(void)state;
	memcpy(second, hello_second, sizeof(second));
	at = memmem(second, sizeof(second), NAME, strlen(NAME));
	assert_non_null(at);
	memcpy(at, "bad", 3);
	gate_init(&gate, EGRESS_TLS, NAME, 443);
	client_says(hello_first, sizeof(hello_first));
	sent();
	server_says(hello_retry, sizeof(hello_retry));
	assert_int_equal(gate_client(&gate, second, sizeof(second)), -1);
	refused("@gate_judge_hello");
}

/* Both hellos at once: the second one waits for the server, and is judged like any other. */
static void test_a_hello_that_nobody_has_asked_for_yet_is_held_and_judged(void **state)
{
	uint8_t second[sizeof(hello_second)];

	(void)state;
	memcpy(second, hello_second, sizeof(second));
	memcpy(memmem(second, sizeof(second), NAME, strlen(NAME)), "bad", 3);
	gate_init(&gate, EGRESS_TLS, NAME, 443);
	client_says(hello_first, sizeof(hello_first));
	client_says(second, sizeof(second));
	assert_int_equal(sent(), sizeof(hello_first));
	assert_int_equal(gate_server(&gate, hello_retry, sizeof(hello_retry)), -1);
	refused("@gate_judge_hello");
}

static void test_a_retry_a_byte_at_a_time(void **state)
{
	(void)state;
	gate_init(&gate, EGRESS_TLS, NAME, 443);
	for (size_t i = 0; i < sizeof(hello_first); i++)
		client_says(hello_first + i, 1);
	assert_int_equal(sent(), sizeof(hello_first));
	for (size_t i = 0; i < sizeof(hello_retry); i++)
		server_says(hello_retry + i, 1);
	for (size_t i = 0; i < sizeof(hello_second); i++)
		client_says(hello_second + i, 1);
	assert_int_equal(sent(), sizeof(hello_second));
}

static void test_what_is_held_is_bounded(void **state)
{
	static uint8_t much[GATE_MAX_HELD];

	(void)state;
	gate_init(&gate, EGRESS_TLS, NAME, 443);
	client_says(hello_tls13, sizeof(hello_tls13));
	client_says(much, gate_room(&gate));
	assert_int_equal(gate_room(&gate), 0);
	assert_int_equal(sent(), sizeof(hello_tls13));
	assert_int_equal(gate_room(&gate), sizeof(hello_tls13));
}

/* -- HTTP --------------------------------------------------------------------------------- */

#define GET(host) "GET / HTTP/1.1\r\nHost: " host "\r\n\r\n"

static void test_each_request_is_judged(void **state)
{
	(void)state;
	gate_init(&gate, EGRESS_HTTP, NAME, 80);
	client_says(GET(NAME) GET(NAME), 2 * strlen(GET(NAME)));
	assert_int_equal(sent(), 2 * strlen(GET(NAME)));
	assert_true(gate_server_is_open(&gate));
	assert_false(gate_client_is_open(&gate));
	assert_int_equal(gate_client(&gate, GET("other.org"), strlen(GET("other.org"))), -1);
	assert_int_equal(gate.judged, 0);
}

#define UPGRADE                                                                                    \
	"GET /ws HTTP/1.1\r\nHost: " NAME                                                          \
	"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"                                        \
	"Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n"

static void test_an_upgrade_is_opaque_once_the_server_has_said_so(void **state)
{
	static const char yes[] = "HTTP/1.1 101 Switching Protocols\r\n\r\n";

	(void)state;
	gate_init(&gate, EGRESS_HTTP, NAME, 80);
	client_says(UPGRADE GET("other.org"), strlen(UPGRADE GET("other.org")));
	assert_int_equal(sent(), strlen(UPGRADE));
	assert_false(gate_server_is_open(&gate));
	server_says(yes, strlen(yes));
	assert_int_equal(sent(), strlen(GET("other.org")));
	assert_true(gate_client_is_open(&gate));
}

static void test_an_upgrade_that_is_declined_stays_http(void **state)
{
	static const char no[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

	(void)state;
	gate_init(&gate, EGRESS_HTTP, NAME, 80);
	client_says(UPGRADE GET("other.org"), strlen(UPGRADE GET("other.org")));
	assert_int_equal(sent(), strlen(UPGRADE));
	assert_int_equal(gate_server(&gate, no, strlen(no)), -1);
}

static void test_raw_is_opaque(void **state)
{
	(void)state;
	gate_init(&gate, EGRESS_RAW, NAME, 5432);
	assert_true(gate_client_is_open(&gate));
	assert_true(gate_server_is_open(&gate));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_right_hello_goes_out_and_nothing_behind_it,
						begin, end),
		cmocka_unit_test_setup_teardown(test_another_name_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(test_after_a_retry_the_next_hello_is_judged, begin,
						end),
		cmocka_unit_test_setup_teardown(test_after_a_retry_another_name_is_refused, begin,
						end),
		cmocka_unit_test_setup_teardown(
			test_a_hello_that_nobody_has_asked_for_yet_is_held_and_judged, begin, end),
		cmocka_unit_test_setup_teardown(test_a_retry_a_byte_at_a_time, begin, end),
		cmocka_unit_test_setup_teardown(test_what_is_held_is_bounded, begin, end),
		cmocka_unit_test_setup_teardown(test_each_request_is_judged, begin, end),
		cmocka_unit_test_setup_teardown(
			test_an_upgrade_is_opaque_once_the_server_has_said_so, begin, end),
		cmocka_unit_test_setup_teardown(test_an_upgrade_that_is_declined_stays_http, begin,
						end),
		cmocka_unit_test_setup_teardown(test_raw_is_opaque, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
