/*
 * test_flow_relay - the bytes of connections that stand: how much stack they take, who gets how
 * much of a rate, and one that has met itself. The time is the test's own.
 */
#include "unit.h"

#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/own.h"
#include "egress/flow_parts.h"

#define FLOWS       3
#define STACK_BYTES (192 << 10) /* a dozen reads of 16 KiB, one within the other */
#define MUCH        (4 << 20)
#define RATE        10000

static struct egress *egress;
static struct flow *flows[FLOWS];
static struct net_name name = {.text = "a.example"};
static int clients[FLOWS]; /* the program's ends */
static int servers[FLOWS];

/* A pair that takes as much as the kernel allows. */
static void make_pair(int ends[2])
{
	const int size = 1 << 20;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)),
				 0);
}

static void add_flow(unsigned i)
{
	int inner[2];
	int outer[2];

	make_pair(inner);
	make_pair(outer);
	clients[i] = inner[1];
	servers[i] = outer[1];
	flows[i] = own_zeroed(1, sizeof(*flows[i]));
	*flows[i] = (struct flow){.egress = egress,
				  .stage = FLOW_RELAY,
				  .client = {.fd = -1},
				  .server = {.fd = -1},
				  .client_fd = inner[0],
				  .server_fd = outer[0],
				  .name = &name,
				  .port = 80,
				  .rule = {.kind = EGRESS_RAW},
				  .deadline_ms = UINT64_MAX,
				  .out = lane_between(inner[0], outer[0]),
				  .in = lane_between(outer[0], inner[0])};
	LIST_INSERT_HEAD(&egress->flows, flows[i], link);
	egress->flow_count++;
}

static int begin(void **state)
{
	struct err e;

	(void)state;
	egress = own_zeroed(1, sizeof(*egress));
	accepts(reactor_open(&egress->reactor, &e), "reactor");
	egress->record = (struct record){.log = -1};
	egress->bytes_left = UINT64_MAX;
	egress->share = SIZE_MAX;
	egress->reactor.now_ms = 1000;
	meter_init(&egress->meter, 0, 0);
	for (unsigned i = 0; i < FLOWS; i++)
		add_flow(i);
	return 0;
}

static int end(void **state)
{
	(void)state;
	flow_end_all(egress);
	while (egress->pool_count)
		close(egress->pool[--egress->pool_count]);
	relay_pipes_close(&egress->pipes);
	close(egress->reactor.epoll);
	free(egress);
	for (unsigned i = 0; i < FLOWS; i++) {
		close(clients[i]);
		close(servers[i]);
	}
	return 0;
}

/* -- a server that says much after its 101 --------------------------------------------------- */

static const char asks[] =
	"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\n"
	"Upgrade: websocket\r\n\r\n";
static const char answers[] = "HTTP/1.1 101 Switching Protocols\r\n\r\n";

static void ask_for_an_upgrade(struct flow *f)
{
	f->gate = own_zeroed(1, sizeof(*f->gate));
	gate_init(f->gate, EGRESS_HTTP, "a.example", 80);
	assert_int_equal(send(clients[0], asks, strlen(asks), 0), strlen(asks));
	flow_relay(f);
	assert_int_equal(f->stage, FLOW_RELAY);
}

static size_t most(size_t left, size_t room)
{
	return left < room ? left : room;
}

/* NULL: the client has all that the server has said. */
static void *relay_much(void *argument)
{
	static char bytes[64 << 10];
	size_t wanted = strlen(answers) + MUCH;
	size_t got = 0;
	size_t sent = 0;
	ssize_t n;

	if (send(servers[0], answers, strlen(answers), 0) != (ssize_t)strlen(answers))
		return argument;
	for (unsigned turn = 0; got < wanted && turn < 10000; turn++) {
		while ((n = send(servers[0], bytes, most(MUCH - sent, sizeof(bytes)), 0)) > 0)
			sent += (size_t)n;
		flow_relay(flows[0]);
		if (flows[0]->stage != FLOW_RELAY)
			return argument;
		while ((n = recv(clients[0], bytes, sizeof(bytes), 0)) > 0)
			got += (size_t)n;
	}
	return got == wanted ? NULL : argument;
}

static int relay_on_a_small_stack(void)
{
	pthread_attr_t small;
	pthread_t thread;
	void *bad = NULL;

	if (pthread_attr_init(&small) || pthread_attr_setstacksize(&small, STACK_BYTES) ||
	    pthread_create(&thread, &small, relay_much, flows[0]) || pthread_join(thread, &bad))
		return 2;
	return bad ? 1 : 0;
}

static void test_what_a_server_says_takes_no_stack(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	ask_for_an_upgrade(flows[0]);
	pid = fork();
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL); /* which cmocka has */
		_exit(relay_on_a_small_stack());
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		fail_msg("signal %d", WTERMSIG(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* -- a rate ---------------------------------------------------------------------------------- */

static void test_a_rate_is_shared_out(void **state)
{
	static const char bytes[10 * RATE];

	(void)state;
	meter_init(&egress->meter, RATE, 1000);
	for (unsigned i = 0; i < FLOWS; i++)
		assert_int_equal(send(servers[i], bytes, sizeof(bytes), 0), sizeof(bytes));
	for (unsigned i = 0; i < FLOWS; i++)
		flow_relay(flows[i]); /* one takes the burst; all sleep */
	for (unsigned i = 0; i < FLOWS; i++) {
		flow_relay(flows[i]);
		assert_true(flows[i]->sleeps);
		flows[i]->bytes_in = 0;
	}
	egress->reactor.now_ms += 1000;
	flow_tick(egress);
	for (unsigned i = 0; i < FLOWS; i++) {
		if (!flows[i]->bytes_in)
			fail_msg("connection %u got nothing", i);
	}
}

/* -- a connection that has met itself -------------------------------------------------------- */

/* A socket that is connected to its own address (TCP's simultaneous open). Returns its port. */
static uint16_t meet_itself(int fd)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof(own);

	assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &length), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	return ntohs(own.sin_port);
}

static void connect_to(struct flow *f, int fd, uint16_t port)
{
	close(f->server_fd);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	f->server_fd = fd;
	f->stage = FLOW_CONNECT;
	f->reached = (struct address){
		{127, 0, 0, 1},
                true
        };
	f->candidates[0] = f->reached;
	f->candidate_count = f->tried = 1;
	f->port = port;
}

static void test_where_nobody_listens_nothing_echoes(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	connect_to(flows[0], fd, meet_itself(fd));
	flows[0]->is_published = true;
	egress->published_count++;
	flow_connected(flows[0]);
	assert_int_equal(flows[0]->stage, FLOW_ENDED);
}

/* -- an address of this host, which was none when the list was judged ------------------------ */

static void connect_to_this_host(struct flow *f)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof(own);
	auto_fd int listener = socket(AF_INET, SOCK_STREAM, 0);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(listener, (struct sockaddr *)&own, sizeof(own)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&own, &length), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	connect_to(f, fd, ntohs(own.sin_port));
	flow_connected(f);
}

static void test_this_host_is_known_by_its_answer(void **state)
{
	(void)state;
	connect_to_this_host(flows[0]);
	assert_int_equal(flows[0]->stage, FLOW_ENDED);
	assert_int_equal(egress->record.counters.refused, 1);
	assert_says(egress->record.refusals[0].reason, "@flow_connect_misled");
}

static void test_this_host_is_reached_where_that_is_allowed(void **state)
{
	(void)state;
	flows[0]->rule.on_host = true;
	connect_to_this_host(flows[0]);
	assert_int_equal(egress->record.counters.refused, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_what_a_server_says_takes_no_stack),
		TEST(test_a_rate_is_shared_out),
		TEST(test_where_nobody_listens_nothing_echoes),
		TEST(test_this_host_is_known_by_its_answer),
		TEST(test_this_host_is_reached_where_that_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
