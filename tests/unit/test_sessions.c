/*
 * test_sessions - the table of sessions: how they are kept, lent, listed and forgotten. Their cells
 * are replaced by counters that stay at 0, so none ever ends by itself.
 */
#include "unit.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/own.h"
#include "inside/plan.h"
#include "loop/clock.h"
#include "net/message.h"
#include "warm/sessions.h"

#define MANY (3 * SESSIONS_PAGE + 7)

static struct err e;
static struct endings endings;
static struct sessions table;
static unsigned open_before;

static int begin(void **state)
{
	(void)state;
	open_before = unit_count_open();
	table = (struct sessions){.endings = &endings};
	return 0;
}

/* Whatever a test has done, nothing stays open. */
static int end(void **state)
{
	(void)state;
	sessions_fini(&table);
	while (endings.count) {
		own_close(&endings.items[--endings.count].pidfd);
		cgroup_ref_close(&endings.items[endings.count].group);
	}
	free(endings.items);
	endings = (struct endings){0};
	assert_int_equal(unit_count_open(), open_before);
	return 0;
}

/* A request with these descriptors, which never become readable. */
static struct op_request request_with(unsigned fd_count)
{
	struct op_request r = {0};

	while (r.message.fd_count < fd_count) {
		int fd = eventfd(0, EFD_CLOEXEC);

		assert_true(fd >= 0);
		r.message.fds[r.message.fd_count++] = fd;
	}
	return r;
}

static int keep(const char *name)
{
	struct op_request r = request_with(SESSION_FDS);
	int bad;

	r.op = OP_KEEP;
	r.keep = (struct keep_request){.name = name, .group = "", .memory = SPEC_UNLIMITED};
	bad = sessions_keep(&table, &r, &e);
	wire_fini(&r.message);
	return bad;
}

static const char *name_of(unsigned number)
{
	static char name[32];

	/* Not in the order in which they were made. */
	snprintf(name, sizeof(name), "s%u-%u", number * 7919u % 1000, number);
	return name;
}

/* A login may have fewer descriptors than that many sessions hold. */
static void needs_descriptors_of(unsigned sessions)
{
	const rlim_t wanted = sessions * SESSION_FDS + open_before + 16;
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted;
	if (wanted > limit.rlim_max || setrlimit(RLIMIT_NOFILE, &limit)) {
		printf("cannot: %llu descriptors are too many for the hard limit (ulimit -H -n)\n",
		       (unsigned long long)wanted);
		skip();
	}
}

static void keep_many(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		accepts(keep(name_of(i)), name_of(i));
}

static void drop(const char *name)
{
	struct kept_session *k = sessions_find(&table, name, &e);

	assert_non_null(k);
	sessions_drop(&table, k);
}

/* -- its network --------------------------------------------------------------------------- */

/* With so many descriptors, the last of which may be that of its network. */
static struct session *keep_with(unsigned fd_count, bool network, int *last)
{
	struct op_request r = request_with(fd_count);
	struct kept_session *k;

	r.op = OP_KEEP;
	r.keep = (struct keep_request){
		.name = "net", .group = "", .memory = SPEC_UNLIMITED, .network = network};
	*last = r.message.fds[fd_count - 1];
	accepts(sessions_keep(&table, &r, &e), "net");
	wire_fini(&r.message);
	k = sessions_find(&table, "net", &e);
	assert_non_null(k);
	return &k->session;
}

static void test_the_last_descriptor_is_the_networks_if_there_is_one(void **state)
{
	struct session *s;
	int last;

	(void)state;
	for (unsigned groups = 0; groups <= CGROUP_MAX_FDS; groups++) {
		s = keep_with(SESSION_FDS + groups + 1, true, &last);
		assert_int_equal(s->group.count, groups);
		assert_int_equal(s->network, last);
		drop("net");
	}
	for (unsigned groups = 0; groups <= CGROUP_MAX_FDS; groups++) {
		s = keep_with(SESSION_FDS + groups, false, &last);
		assert_int_equal(s->group.count, groups);
		assert_int_equal(s->network, -1);
		drop("net");
	}
}

/* What a client says of its descriptors is not believed. */
static void test_a_network_that_did_not_come_is_none(void **state)
{
	int last;

	(void)state;
	assert_int_equal(keep_with(SESSION_FDS, true, &last)->network, -1);
	drop("net");
	assert_int_equal(keep_with(SESSION_FDS + CGROUP_MAX_FDS + 1, false, &last)->group.count,
			 CGROUP_MAX_FDS);
}

static void test_who_borrows_it_is_told_of_its_network(void **state)
{
	const struct borrow_request request = {.name = "net"};
	struct borrow_answer loan;
	int fds[WIRE_MAX_FDS];
	int last;

	(void)state;
	keep_with(SESSION_FDS + 2, true, &last);
	assert_int_equal(sessions_lend(sessions_find(&table, "net", &e), 7, &request, &loan, fds),
			 SESSION_FDS + 1);
	assert_true(loan.network);
	form_fini(&operations[OP_BORROW].answer, &loan);
}

/* Its process ends with the session, whoever has asked for a copy of its socket. */
static void test_a_copy_of_its_network_ends_with_it(void **state)
{
	struct op_request r = request_with(SESSION_FDS);
	int pair[2];
	int copy;
	char byte;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
	copy = dup(pair[0]);
	r.op = OP_KEEP;
	r.keep = (struct keep_request){
		.name = "net", .group = "", .memory = SPEC_UNLIMITED, .network = true};
	r.message.fds[r.message.fd_count++] = pair[0];
	accepts(sessions_keep(&table, &r, &e), "net");
	wire_fini(&r.message);
	assert_int_equal(read(pair[1], &byte, 1), -1); /* it stands */
	drop("net");
	assert_int_equal(read(pair[1], &byte, 1), 0);
	close(copy);
	close(pair[1]);
}

/* -- the list ------------------------------------------------------------------------------ */

/*
 * Read the next page; each entry has its number in its name. Returns where the following page
 * begins.
 */
static uint64_t list_page(uint64_t after, unsigned *numbers, unsigned *count)
{
	struct sessions_answer page;

	sessions_list(&table, &(struct sessions_request){.after = after, .name = ""}, &page);
	assert_true(page.sessions.count <= SESSIONS_PAGE);
	for (unsigned i = 0; i < page.sessions.count; i++) {
		const struct session_entry *entry = (struct session_entry *)page.sessions.items + i;

		assert_int_equal(sscanf(entry->name, "s%*u-%u", &numbers[*count]), 1);
		(*count)++;
	}
	form_fini(&operations[OP_SESSIONS].answer, &page);
	return page.after;
}

static unsigned list_all(unsigned *numbers)
{
	unsigned count = 0;
	uint64_t after = 0;
	unsigned pages = 0;

	do {
		after = list_page(after, numbers, &count);
		assert_true(++pages < 20);
	} while (after);
	return count;
}

static void test_pages_are_in_the_order_of_making(void **state)
{
	static const unsigned counts[] = {0,
					  1,
					  SESSIONS_PAGE - 1,
					  SESSIONS_PAGE,
					  SESSIONS_PAGE + 1,
					  2 * SESSIONS_PAGE,
					  2 * SESSIONS_PAGE + 1,
					  MANY};
	unsigned numbers[MANY];
	unsigned have = 0;

	(void)state;
	needs_descriptors_of(MANY + 1);
	for (size_t i = 0; i < COUNT(counts); i++) {
		keep_many(have, counts[i]);
		have = counts[i];
		assert_int_equal(list_all(numbers), have);
		for (unsigned n = 0; n < have; n++)
			assert_int_equal(numbers[n], n);
	}
}

/* The last entry takes the place of a removed one, so the order is not that of the table. */
static void test_the_order_outlasts_what_goes(void **state)
{
	unsigned numbers[MANY];
	unsigned expected = 0;
	unsigned count;

	(void)state;
	needs_descriptors_of(MANY + 1);
	keep_many(0, MANY);
	for (unsigned i = 0; i < MANY; i += 3)
		drop(name_of(i));
	count = list_all(numbers);
	for (unsigned n = 0; n < count; n++, expected++) {
		if (expected % 3 == 0)
			expected++;
		assert_int_equal(numbers[n], expected);
	}
	assert_int_equal(count, MANY - (MANY + 2) / 3);
}

/*
 * Sessions that exist all the time are listed once, whatever is made and removed between two pages.
 */
static void test_a_list_goes_on_while_others_come_and_go(void **state)
{
	unsigned numbers[2 * MANY];
	bool seen[2 * MANY] = {false};
	unsigned have = MANY;
	unsigned count = 0;
	uint64_t after = 0;

	(void)state;
	needs_descriptors_of(MANY + 1);
	keep_many(0, MANY);
	do {
		after = list_page(after, numbers, &count);
		drop(name_of(have - MANY)); /* one that has been listed, or that will not be */
		keep_many(have, have + 1);
		have++;
	} while (after);
	for (unsigned i = 0; i < count; i++) {
		assert_true(numbers[i] < have);
		assert_false(seen[numbers[i]]);
		seen[numbers[i]] = true;
		if (i)
			assert_true(numbers[i] > numbers[i - 1]);
	}
	for (unsigned i = have - MANY; i < MANY; i++)
		assert_true(seen[i]);
}

static void test_a_page_after_the_last_is_empty(void **state)
{
	unsigned numbers[MANY];
	unsigned count = 0;

	(void)state;
	keep_many(0, 3);
	assert_int_equal(list_page(3, numbers, &count), 0);
	assert_int_equal(list_page(UINT64_MAX, numbers, &count), 0);
	assert_int_equal(count, 0);
}

/* -- keep ---------------------------------------------------------------------------------- */

static void test_a_name_is_kept_once(void **state)
{
	(void)state;
	accepts(keep("a"), "a");
	assert_int_equal(keep("a"), -1);
	assert_int_equal(e.kind, ERR_EXISTS);
	assert_int_equal(keep(""), -1);
	assert_int_equal(e.kind, ERR_INPUT);
	drop("a");
	accepts(keep("a"), "a again");
}

static void test_there_is_an_end_of_room(void **state)
{
	(void)state;
	/* Pretend that there are this many; none of them has a descriptor. */
	for (table.count = 0; table.count < SESSIONS_MAX; table.count++) {
		table.items = own_grow(table.items, table.count, sizeof(*table.items));
		table.items[table.count] =
			(struct kept_session){.session = session_none(), .borrower = 7};
	}
	table.capacity = SESSIONS_MAX;
	assert_int_equal(keep("one more"), -1);
	assert_int_equal(e.kind, ERR_LIMIT);
	table.count = 0;
}

static void test_an_unknown_name_is_not_found(void **state)
{
	(void)state;
	assert_null(sessions_find(&table, "a", &e));
	assert_int_equal(e.kind, ERR_NOT_FOUND);
	assert_null(sessions_find(&table, "", &e));
	assert_int_equal(e.kind, ERR_NOT_FOUND);
}

/* A number that means "for ever" must not become a short time by overflow. */
static void test_a_time_without_end_has_none(void **state)
{
	struct op_request r = request_with(SESSION_FDS);

	(void)state;
	r.keep = (struct keep_request){.name = "a",
				       .group = "",
				       .idle_ms = UINT64_MAX / 1000 + 2,
				       .ttl_ms = UINT64_MAX / 1000 + 2,
				       .memory = SPEC_UNLIMITED};
	accepts(sessions_keep(&table, &r, &e), "a");
	wire_fini(&r.message);
	usleep(3000);
	if (!sessions_find(&table, "a", &e))
		fail_msg("%s", e.text);
}

/* It was made after the clock was read: the negative age must not be taken for an endless one. */
static void test_one_that_is_younger_than_the_clock_is_kept(void **state)
{
	struct op_request r = request_with(SESSION_FDS);

	(void)state;
	r.keep = (struct keep_request){.name = "a",
				       .group = "",
				       .idle_ms = 3600000,
				       .ttl_ms = 3600000,
				       .memory = SPEC_UNLIMITED};
	accepts(sessions_keep(&table, &r, &e), "a");
	wire_fini(&r.message);
	assert_int_equal(sessions_check(&table, 1), 1);
}

/* -- lend and return ----------------------------------------------------------------------- */

#define CLIENT 7

static unsigned lend(const char *name, unsigned *checkpoints)
{
	const struct borrow_request request = {.name = name};
	struct kept_session *k = sessions_find(&table, name, &e);
	struct borrow_answer loan;
	int fds[WIRE_MAX_FDS];
	unsigned count;

	assert_non_null(k);
	count = sessions_lend(k, CLIENT, &request, &loan, fds);
	*checkpoints = loan.checkpoints.count;
	form_fini(&operations[OP_BORROW].answer, &loan);
	return count;
}

static const char *give_back(struct checkpoint_entry *entries, unsigned count, bool channel,
			     unsigned fd_count)
{
	struct op_request r = request_with(fd_count);
	const char *why;

	r.op = OP_RETURN;
	r.give_back = (struct return_request){
		.why = "", .channel = channel, .checkpoints = {entries, count}
        };
	why = sessions_return(&table, CLIENT, &r);
	wire_fini(&r.message);
	return why;
}

static void test_what_is_returned_is_there_again(void **state)
{
	struct checkpoint_entry entries[SESSION_MAX_CHECKPOINTS];
	unsigned checkpoints;

	(void)state;
	accepts(keep("a"), "a");
	assert_int_equal(lend("a", &checkpoints), SESSION_FDS);
	assert_int_equal(checkpoints, 0);
	for (int i = 0; i < SESSION_MAX_CHECKPOINTS; i++)
		entries[i] = (struct checkpoint_entry){.name = "same", .pid = 2, .is_new = true};
	assert_null(give_back(entries, SESSION_MAX_CHECKPOINTS, true, SESSION_MAX_CHECKPOINTS + 1));
	assert_int_equal(lend("a", &checkpoints), SESSION_FDS + SESSION_MAX_CHECKPOINTS);
	assert_int_equal(checkpoints, SESSION_MAX_CHECKPOINTS);
	/* Known checkpoints, but more of one name than there are; and one that never existed. */
	for (int i = 0; i < SESSION_MAX_CHECKPOINTS; i++)
		entries[i].is_new = false;
	entries[3].name = "never";
	assert_null(give_back(entries, SESSION_MAX_CHECKPOINTS, false, 0));
	assert_int_equal(lend("a", &checkpoints), SESSION_FDS + 1);
	assert_int_equal(checkpoints, 1);
	/* New checkpoints and a new channel, but no descriptors for them. */
	for (int i = 0; i < SESSION_MAX_CHECKPOINTS; i++)
		entries[i].is_new = true;
	assert_null(give_back(entries, SESSION_MAX_CHECKPOINTS, true, 0));
	assert_int_equal(lend("a", &checkpoints), SESSION_FDS);
	/* Descriptors that were not announced. */
	assert_null(give_back(NULL, 0, false, SESSION_MAX_CHECKPOINTS + 1));
	assert_int_equal(lend("a", &checkpoints), SESSION_FDS);
}

static void test_a_caller_that_vanishes_takes_it_along(void **state)
{
	unsigned checkpoints;

	(void)state;
	accepts(keep("a"), "a");
	accepts(keep("b"), "b");
	lend("a", &checkpoints);
	sessions_leave(&table, CLIENT);
	assert_null(sessions_find(&table, "a", &e));
	assert_int_equal(e.kind, ERR_GONE);
	assert_non_null(sessions_find(&table, "b", &e));
}

/* -- orphans ------------------------------------------------------------------------------- */

#define LATER_US (ORPHAN_PACE_US + 1)

static int orders;  /* our end of what pid 1 reads */
static int channel; /* our end of what the interpreter reads */

static const struct borrow_request a_call = {
	.name = "a", .outlives = true, .limit_ms = SPEC_UNLIMITED};

/* Keep a session "a" whose sockets we read, and lend it to a client that vanishes in its call. */
static void begin_orphan(uint64_t limit_ms)
{
	struct borrow_request call = a_call;
	struct op_request r = request_with(SESSION_FDS);
	struct borrow_answer loan;
	int fds[WIRE_MAX_FDS];

	own_close(&r.message.fds[SESSION_CONTROL]);
	own_close(&r.message.fds[SESSION_CHANNEL]);
	assert_int_equal(message_pair(SOCK_SEQPACKET, &r.message.fds[SESSION_CONTROL], &orders), 0);
	assert_int_equal(message_pair_down(&r.message.fds[SESSION_CHANNEL], &channel), 0);
	r.keep = (struct keep_request){.name = "a", .group = "", .memory = SPEC_UNLIMITED};
	accepts(sessions_keep(&table, &r, &e), "a");
	wire_fini(&r.message);
	call.limit_ms = limit_ms;
	assert_true(kept_session_can_be_lent(&table.items[0], &call, 0));
	sessions_lend(&table.items[0], CLIENT, &call, &loan, fds);
	free(loan.checkpoints.items);
	sessions_leave(&table, CLIENT);
	assert_int_equal(table.count, 1);
}

static void end_orphan(void)
{
	own_close(&orders);
	own_close(&channel);
}

static unsigned interrupts(void)
{
	struct order order;
	unsigned count = 0;

	while (recv(orders, &order, sizeof(order), MSG_DONTWAIT) == (ssize_t)sizeof(order)) {
		assert_int_equal(order.kind, ORDER_GROUP);
		assert_true(order.value == SIGINT || order.value == 0);
		count += order.value == SIGINT;
	}
	return count;
}

/* Take the ping and answer it with these bytes, or close its pipe. False: there is no ping. */
static bool answer_ping(const char *bytes)
{
	struct message_extra extra;
	char ping[100];

	if (message_receive(channel, ping, sizeof(ping), MSG_DONTWAIT, &extra) <= 0)
		return false;
	assert_int_equal(extra.fd_count, 1);
	assert_int_equal(write(extra.fds[0], bytes, strlen(bytes)), strlen(bytes));
	message_drop(&extra);
	return true;
}

static bool can_borrow(const struct borrow_request *request)
{
	struct kept_session *k = sessions_find(&table, "a", &e);

	assert_non_null(k);
	return kept_session_can_be_lent(k, request, monotonic_us());
}

static void test_an_orphan_is_interrupted_until_it_has_ended(void **state)
{
	uint64_t begun_us = monotonic_us();

	(void)state;
	begin_orphan(SPEC_UNLIMITED);
	assert_int_equal(interrupts(), 1);
	for (int i = 1; i < 4; i++) {
		uint64_t now_us = begun_us + 3600000000ull * (uint64_t)i;

		sessions_check(&table, now_us);
		assert_int_equal(interrupts(), 1);
		sessions_check(&table, now_us + ORPHAN_PACE_US - 1);
		assert_int_equal(interrupts(), 0);
	}
	assert_true(answer_ping("any"));
	sessions_check(&table, begun_us);
	sessions_check(&table, begun_us + 36000000000ull);
	assert_int_equal(interrupts(), 0);
	assert_false(answer_ping(""));
	assert_int_equal(table.count, 1);
	end_orphan();
}

/* It would interrupt the next call. */
static void test_an_orphan_stays_until_its_interrupt_has_been_sent(void **state)
{
	struct order order;

	(void)state;
	begin_orphan(SPEC_UNLIMITED);
	assert_true(answer_ping("any"));
	assert_false(can_borrow(&a_call));
	assert_int_equal(recv(orders, &order, sizeof(order), 0), sizeof(order));
	assert_int_equal(order.value, SIGINT);
	assert_false(can_borrow(&a_call)); /* it was read, and may not have been obeyed yet */
	assert_int_equal(interrupts(), 0);
	assert_true(can_borrow(&a_call));
	end_orphan();
}

static void test_an_orphan_is_lent_for_its_files_only(void **state)
{
	const struct borrow_request files = {.name = "a", .files = true};
	const struct borrow_request freeze = {.name = "a", .files = true, .freeze = true};
	const struct borrow_request steps = {.name = "a"};
	struct borrow_answer loan;
	int fds[WIRE_MAX_FDS];

	(void)state;
	begin_orphan(SPEC_UNLIMITED);
	assert_int_equal(interrupts(), 1);
	for (int i = 0; i < 2; i++) {
		assert_false(can_borrow(&a_call));
		assert_false(can_borrow(&freeze));
		assert_false(can_borrow(&steps));
		assert_true(can_borrow(&files));
		sessions_lend(&table.items[0], CLIENT, &files, &loan, fds);
		free(loan.checkpoints.items);
		if (i)
			sessions_leave(&table, CLIENT);
		else
			assert_null(give_back(NULL, 0, false, 0));
	}
	assert_false(can_borrow(&a_call));
	assert_true(answer_ping("any"));
	assert_true(can_borrow(&a_call));
	end_orphan();
}

static void test_an_orphan_that_answers_nothing_is_asked_again(void **state)
{
	(void)state;
	begin_orphan(SPEC_UNLIMITED);
	assert_int_equal(interrupts(), 1);
	assert_true(answer_ping(""));
	assert_false(can_borrow(&a_call)); /* that its pipe was closed is seen here */
	sessions_check(&table, monotonic_us());
	assert_true(answer_ping("any"));
	assert_true(can_borrow(&a_call));
	end_orphan();
}

static void test_an_orphan_ends_at_its_time_limit(void **state)
{
	uint64_t begun_us = monotonic_us();

	(void)state;
	begin_orphan(3600000);
	assert_int_equal(sessions_check(&table, begun_us + 3600000000ull), 1);
	assert_int_equal(sessions_check(&table, monotonic_us() + 3600000000ull + LATER_US), 0);
	assert_null(sessions_find(&table, "a", &e));
	assert_int_equal(e.kind, ERR_GONE);
	assert_true(message_is(e.text, "@kept_session_why_over#could"));
	end_orphan();
}

static void test_an_orphan_that_somebody_waits_for_ends_in_time(void **state)
{
	uint64_t begun_us = monotonic_us();
	uint64_t wait_us = SESSION_WAIT_MS * 1000ull;
	struct borrow_request a_wait = a_call;

	(void)state;
	a_wait.wait_ms = 1;
	begin_orphan(SPEC_UNLIMITED);
	assert_false(can_borrow(&a_call)); /* who looks for names, and does not wait */
	assert_int_equal(sessions_check(&table, begun_us + 10 * wait_us), 1);
	assert_false(can_borrow(&a_wait));
	assert_int_equal(sessions_check(&table, begun_us + wait_us - 1), 1);
	assert_int_equal(sessions_check(&table, monotonic_us() + wait_us), 0);
	end_orphan();
}

/* Who has it for its files is not told, so who asks for it next is. */
static void test_memory_that_runs_out_while_its_files_are_lent_is_the_reason(void **state)
{
	const struct borrow_request files = {.name = "a", .files = true};
	struct op_request r = request_with(SESSION_FDS + 1);
	int folder = unit_enter();
	struct borrow_answer loan;
	int fds[WIRE_MAX_FDS];

	(void)state;
	assert_int_equal(dup3(folder, r.message.fds[SESSION_FDS], O_CLOEXEC),
			 r.message.fds[SESSION_FDS]);
	r.keep = (struct keep_request){.name = "a", .group = "x", .memory = SPEC_UNLIMITED};
	accepts(sessions_keep(&table, &r, &e), "a");
	wire_fini(&r.message);
	sessions_lend(&table.items[0], CLIENT, &files, &loan, fds);
	free(loan.checkpoints.items);
	unit_write(folder, "memory.events", "oom_kill 1\n", 11);
	assert_int_equal(eventfd_write(table.items[0].session.fds[SESSION_PIDFD], 1), 0);
	assert_null(give_back(NULL, 0, false, 0));
	assert_null(sessions_find(&table, "a", &e));
	assert_true(message_is(e.text, "@kept_session_why_over#exceeded the session a"));
	assert_null(strstr(e.text, "sockets"));
	cgroup_ref_close(&endings.items[0].group);
	unit_leave(folder);
}

static void test_a_loan_that_did_not_arrive_is_taken_back(void **state)
{
	unsigned checkpoints;

	(void)state;
	accepts(keep("a"), "a");
	lend("a", &checkpoints);
	sessions_take_back(&table, CLIENT);
	sessions_leave(&table, CLIENT);
	assert_non_null(sessions_find(&table, "a", &e));
}

static void test_what_is_removed_meanwhile_is_told_at_its_return(void **state)
{
	unsigned checkpoints;

	(void)state;
	accepts(keep("a"), "a");
	lend("a", &checkpoints);
	drop("a");
	assert_says(give_back(NULL, 0, true, 1), "@sessions_drop");
}

/* -- its life --------------------------------------------------------------------------------- */

static struct kept_session *kept_with_age(uint64_t age_s)
{
	struct kept_session *k;

	accepts(keep("a"), "a");
	k = sessions_find(&table, "a", &e);
	assert_non_null(k);
	k->made_us -= age_s * 1000000;
	return k;
}

static void test_a_life_is_counted_from_now(void **state)
{
	const struct life_request request = {"a", 5000, UINT64_MAX};
	struct kept_session *k = kept_with_age(100);
	const uint64_t now_us = k->made_us + 100000000;
	struct life_answer life;

	(void)state;
	assert_int_equal(kept_session_set_life(k, &request, now_us, &life, &e), 0);
	assert_int_equal(life.age_ms, 100000);
	assert_int_equal(life.ttl_ms, 105000);
	assert_null(kept_session_why_over(k, false, now_us + 5000000));
	assert_non_null(kept_session_why_over(k, false, now_us + 5001000));
}

static void test_a_life_has_an_end_that_is_not_passed(void **state)
{
	struct life_request request = {"a", 20001, 120000};
	struct kept_session *k = kept_with_age(100);
	const uint64_t now_us = k->made_us + 100000000;
	struct life_answer life;

	(void)state;
	assert_int_equal(kept_session_set_life(k, &request, now_us, &life, &e), -1);
	assert_int_equal(e.kind, ERR_LIMIT);
	assert_int_equal(k->ttl_ms, 0);
	request.ttl_ms = 20000;
	assert_int_equal(kept_session_set_life(k, &request, now_us, &life, &e), 0);
	assert_int_equal(life.ttl_ms, 120000);
	request = (struct life_request){"a", 1, 1};
	assert_int_equal(kept_session_set_life(k, &request, now_us, &life, &e), -1);
	request = (struct life_request){"a", UINT64_MAX, UINT64_MAX};
	assert_int_equal(kept_session_set_life(k, &request, now_us, &life, &e), -1);
	assert_int_equal(k->ttl_ms, 120000);
}

static void test_a_life_that_is_only_looked_at_stays(void **state)
{
	const struct life_request request = {"a", 0, UINT64_MAX};
	struct kept_session *k = kept_with_age(100);
	struct life_answer life;

	(void)state;
	k->ttl_ms = 7;
	assert_int_equal(kept_session_set_life(k, &request, k->made_us + 1000, &life, &e), 0);
	assert_int_equal(life.ttl_ms, 7);
	assert_int_equal(k->ttl_ms, 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_last_descriptor_is_the_networks_if_there_is_one),
		TEST(test_a_network_that_did_not_come_is_none),
		TEST(test_who_borrows_it_is_told_of_its_network),
		TEST(test_a_copy_of_its_network_ends_with_it),
		TEST(test_pages_are_in_the_order_of_making),
		TEST(test_the_order_outlasts_what_goes),
		TEST(test_a_list_goes_on_while_others_come_and_go),
		TEST(test_a_page_after_the_last_is_empty),
		TEST(test_a_name_is_kept_once),
		TEST(test_there_is_an_end_of_room),
		TEST(test_an_unknown_name_is_not_found),
		TEST(test_a_time_without_end_has_none),
		TEST(test_one_that_is_younger_than_the_clock_is_kept),
		TEST(test_what_is_returned_is_there_again),
		TEST(test_a_caller_that_vanishes_takes_it_along),
		TEST(test_an_orphan_is_interrupted_until_it_has_ended),
		TEST(test_an_orphan_stays_until_its_interrupt_has_been_sent),
		TEST(test_an_orphan_is_lent_for_its_files_only),
		TEST(test_an_orphan_that_answers_nothing_is_asked_again),
		TEST(test_an_orphan_ends_at_its_time_limit),
		TEST(test_an_orphan_that_somebody_waits_for_ends_in_time),
		TEST(test_memory_that_runs_out_while_its_files_are_lent_is_the_reason),
		TEST(test_a_loan_that_did_not_arrive_is_taken_back),
		TEST(test_what_is_removed_meanwhile_is_told_at_its_return),
		TEST(test_a_life_is_counted_from_now),
		TEST(test_a_life_has_an_end_that_is_not_passed),
		TEST(test_a_life_that_is_only_looked_at_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
