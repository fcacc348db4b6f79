/*
 * test_flow_proxy - a connection that waits for a proxy: what is sent, what is taken off the
 * proxy's stream, and how long it waits. The time is the test's own.
 */
#include "unit.h"

#include <sys/socket.h>

#include "base/own.h"
#include "egress/flow_parts.h"

static struct egress *egress;
static struct flow *flow;
static struct net_name name = {.text = "a.example"};
static int client; /* the program's end */
static int proxy;  /* the proxy's end */
static int log_ends[2];

/* A connection that has just been made to the proxy. */
static int begin(void **state)
{
	struct err e;
	int inner[2];
	int outer[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, inner), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, outer), 0);
	assert_int_equal(pipe2(log_ends, O_NONBLOCK | O_CLOEXEC), 0);
	client = inner[1];
	proxy = outer[1];
	egress = own_zeroed(1, sizeof(*egress));
	accepts(reactor_open(&egress->reactor, &e), "reactor");
	egress->record = (struct record){.log = log_ends[1], .log_bytes = 10000};
	egress->bytes_left = UINT64_MAX;
	egress->share = SIZE_MAX;
	meter_init(&egress->meter, 0, 0);
	egress->reactor.now_ms = 1000;
	egress->proxy.count = 1;
	flow = own_zeroed(1, sizeof(*flow));
	*flow = (struct flow){
		.egress = egress,
		.stage = FLOW_CONNECT,
		.client = {.fd = -1     },
		.server = {.fd = -1     },
		.client_fd = inner[0],
		.server_fd = outer[0],
		.is_proxied = true,
		.is_broken = true,
		.name = &name,
		.tried = 1,
		.reached = {{10, 9, 9, 9}, true},
		.port = 443,
		.rule = {.kind = EGRESS_RAW            },
		.out = lane_between(-1, -1),
		.in = lane_between(-1, -1)
        };
	LIST_INSERT_HEAD(&egress->flows, flow, link);
	egress->flow_count = 1;
	flow_proxy_ask(flow);
	return 0;
}

static int end(void **state)
{
	(void)state;
	flow_end_all(egress);
	relay_pipes_close(&egress->pipes);
	close(egress->reactor.epoll);
	free(egress);
	close(client);
	close(proxy);
	close(log_ends[0]);
	close(log_ends[1]);
	return 0;
}

static void reads(int fd, const char *wanted)
{
	char text[1000] = "";
	ssize_t n = read(fd, text, sizeof(text) - 1);

	if (n < 0)
		text[0] = '\0';
	assert_string_equal(text, wanted);
}

static void says(const char *text)
{
	assert_int_equal(send(proxy, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	flow_proxy_answered(flow);
}

static void logged(const char *wanted, const char *reason)
{
	char text[1000] = "";

	assert_true(read(log_ends[0], text, sizeof(text) - 1) > 0);
	if (!strstr(text, wanted) || !message_is(text, reason))
		fail_msg("%s, %s is not in %s", wanted, reason, text);
	assert_non_null(strstr(text, "\"proxy\":\"10.9.9.9\""));
}

static void test_it_is_asked_and_then_waited_for(void **state)
{
	(void)state;
	assert_int_equal(flow->stage, FLOW_PROXY);
	reads(proxy, "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
	assert_int_equal(flow->deadline_ms, 1000 + FLOW_CONNECT_MS);
	flow_proxy_answered(flow); /* it is woken for nothing */
	assert_int_equal(flow->stage, FLOW_PROXY);
}

/* What it says meanwhile does not prolong it, and reaches nobody. */
static void test_it_is_not_waited_for_for_ever(void **state)
{
	(void)state;
	egress->reactor.now_ms += FLOW_CONNECT_MS - 1;
	says("HTTP/1.1 200 OK\r\nA: b\r\n");
	flow_tick(egress);
	assert_int_equal(flow->stage, FLOW_PROXY);
	egress->reactor.now_ms++;
	flow_tick(egress);
	assert_int_equal(flow->stage, FLOW_ENDED);
	logged("\"verdict\":\"allowed\"", "@flow_late#proxy");
	reads(client, "");
}

static void test_what_is_behind_its_head_is_the_servers(void **state)
{
	(void)state;
	says("HTTP/1.1 200 OK\r\nA: b\r\n");
	reads(client, "");
	says("\r\nhello\r\n\r\n");
	assert_int_equal(flow->stage, FLOW_RELAY);
	assert_false(flow->is_broken);
	assert_true(flow->deadline_ms == UINT64_MAX);
	reads(client, "hello\r\n\r\n");
	assert_int_equal(flow->bytes_in, strlen("hello\r\n\r\n"));
}

static void test_nothing_of_a_refusal_reaches_the_program(void **state)
{
	(void)state;
	says("HTTP/1.1 407 Authenticate\r\nContent-Length: 2\r\n\r\nno");
	assert_int_equal(flow->stage, FLOW_ENDED);
	logged("\"verdict\":\"refused\"", "@flow_proxy_refuse#status 407");
	reads(client, "");
}

static void test_one_that_leaves_has_refused_nothing(void **state)
{
	(void)state;
	says("HTTP/1.1 200");
	assert_int_equal(shutdown(proxy, SHUT_WR), 0);
	flow_proxy_answered(flow);
	assert_int_equal(flow->stage, FLOW_ENDED);
	logged("\"verdict\":\"allowed\"", "@flow_proxy_is_gone");
	assert_int_equal(egress->record.counters.refused, 0);
	reads(client, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_it_is_asked_and_then_waited_for),
		TEST(test_it_is_not_waited_for_for_ever),
		TEST(test_what_is_behind_its_head_is_the_servers),
		TEST(test_nothing_of_a_refusal_reaches_the_program),
		TEST(test_one_that_leaves_has_refused_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
