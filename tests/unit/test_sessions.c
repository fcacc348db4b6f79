/*
 * test_sessions - the table of sessions: who is kept, lent, listed and forgotten. In place
 * of their cells there are counters that stay at 0: nothing ever ends by itself.
 */
#include "unit.h"

#include <sys/eventfd.h>

#include "base/own.h"
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

/* Whatever a test did, nothing stays open. */
static int end(void **state)
{
	(void)state;
	sessions_fini(&table);
	while (endings.count)
		own_close(&endings.items[--endings.count].pidfd);
	free(endings.items);
	endings = (struct endings){0};
	assert_int_equal(unit_count_open(), open_before);
	return 0;
}

/* A request that brings these descriptors, which never become readable. */
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

	/* Not in the order of their making. */
	snprintf(name, sizeof(name), "s%u-%u", number * 7919u % 1000, number);
	return name;
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

/* -- the list ------------------------------------------------------------------------------ */

/* The next page; each entry's number is in its name. Returns where the one after it begins. */
static uint64_t list_page(uint64_t after, unsigned *numbers, unsigned *count)
{
	struct sessions_answer page;

	sessions_list(&table, after, &page);
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
	for (size_t i = 0; i < COUNT(counts); i++) {
		keep_many(have, counts[i]);
		have = counts[i];
		assert_int_equal(list_all(numbers), have);
		for (unsigned n = 0; n < have; n++)
			assert_int_equal(numbers[n], n);
	}
}

/* The last takes the place of one that goes: the order is not that of the table. */
static void test_the_order_outlasts_what_goes(void **state)
{
	unsigned numbers[MANY];
	unsigned expected = 0;
	unsigned count;

	(void)state;
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

/* What lives all the while is listed once, whatever comes and goes between two pages. */
static void test_a_list_goes_on_while_others_come_and_go(void **state)
{
	unsigned numbers[2 * MANY];
	bool seen[2 * MANY] = {false};
	unsigned have = MANY;
	unsigned count = 0;
	uint64_t after = 0;

	(void)state;
	keep_many(0, MANY);
	do {
		after = list_page(after, numbers, &count);
		drop(name_of(have - MANY)); /* one that was listed, or will not be */
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
	/* As if there were as many: none of them has a descriptor. */
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

/* A number that means "for ever" is not a short time by being multiplied. */
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

/* The clock was read, then it was made; that is no time without end either. */
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
	/* Known ones, of which there are not so many of that name; and one that never was. */
	for (int i = 0; i < SESSION_MAX_CHECKPOINTS; i++)
		entries[i].is_new = false;
	entries[3].name = "never";
	assert_null(give_back(entries, SESSION_MAX_CHECKPOINTS, false, 0));
	assert_int_equal(lend("a", &checkpoints), SESSION_FDS + 1);
	assert_int_equal(checkpoints, 1);
	/* New ones, and a channel, that have brought no descriptor. */
	for (int i = 0; i < SESSION_MAX_CHECKPOINTS; i++)
		entries[i].is_new = true;
	assert_null(give_back(entries, SESSION_MAX_CHECKPOINTS, true, 0));
	assert_int_equal(lend("a", &checkpoints), SESSION_FDS);
	/* Descriptors that nobody has announced. */
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
	assert_string_equal(give_back(NULL, 0, true, 1), "was removed (glovebox session rm)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
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
		TEST(test_a_loan_that_did_not_arrive_is_taken_back),
		TEST(test_what_is_removed_meanwhile_is_told_at_its_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
