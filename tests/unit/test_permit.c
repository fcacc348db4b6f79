/*
 * test_permit - a request gives back what it was granted, in whatever state it leaves.
 */
#include "unit.h"

#include "request/permit.h"
#include "request/server.h"

static struct server server;
static struct key *key;
static struct permit permits[4];
static unsigned answers; /* how often one was decided */
static struct err said;  /* of the last refusal */
static struct err e;

static int begin(void **state)
{
	(void)state;
	server = (struct server){
		.hub = hub_open(&e), .options = {.runs_max = 4, .retry_s = 3}
        };
	assert_non_null(server.hub);
	ceiling_init(&server.ceiling);
	key = key_of_local(&server.ceiling);
	admission_init(&server.admission, server.hub, 2, 60000);
	admission_init(&server.upkeep, server.hub, 2, 60000);
	memset(permits, 0, sizeof(permits));
	answers = 0;
	said = (struct err){0};
	return 0;
}

/* Whatever was done: nothing is held by anybody. */
static int end(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(permits); i++)
		permit_leave(&permits[i]);
	assert_int_equal(server.admission.running + server.admission.waiting, 0);
	assert_int_equal(server.upkeep.running + server.upkeep.waiting, 0);
	assert_true(LIST_EMPTY(&server.accounts));
	assert_true(LIST_EMPTY(&server.sessions.beginning));
	assert_int_equal(key->use.runs, 0);
	assert_int_equal(key->holders, 0);
	key_free(key);
	ceiling_fini(&server.ceiling);
	hub_close(server.hub);
	return 0;
}

static void decide(void *context, const struct err *refusal, uint64_t seconds)
{
	(void)context;
	answers++;
	said = refusal ? *refusal : (struct err){0};
	assert_true(!refusal || seconds > 0);
}

/* As a face that answers at once. */
static void decide_and_leave(void *context, const struct err *refusal, uint64_t seconds)
{
	decide(context, refusal, seconds);
	permit_leave(context);
}

static void ask(size_t i, bool is_run, permit_decided *decided)
{
	const struct request r = {.server = &server, .key = key, .id = "id"};

	permit_open(&permits[i], &server, key);
	if (is_run)
		account_open(&permits[i].account, &r, METRICS_EXECUTE);
	permit_ask(&permits[i], decided, &permits[i]);
}

static void test_places_are_given_back_to_those_that_wait(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		ask(i, true, decide);
	assert_int_equal(answers, 2);
	permit_leave(&permits[2]); /* it waited */
	permit_leave(&permits[0]);
	permit_leave(&permits[0]);
	assert_int_equal(answers, 3);
	assert_true(permits[3].ticket.is_admitted);
	assert_int_equal(said.kind, 0);
}

static void test_other_work_has_places_of_its_own(void **state)
{
	(void)state;
	key->ceiling.quota.runs = 1;
	ask(0, true, decide);
	ask(1, false, decide);
	assert_int_equal(answers, 2);
	assert_null(permits[1].account.server);
	assert_int_equal(key->use.runs, 1);
}

static void test_quota_is_refused_and_closes_the_account(void **state)
{
	(void)state;
	key->ceiling.quota.runs = 1;
	ask(0, true, decide);
	ask(1, true, decide_and_leave);
	assert_int_equal(said.kind, ERR_BUSY);
	assert_null(permits[1].key);
	assert_int_equal(key->use.runs, 1);
	permit_leave(&permits[0]);
	ask(1, true, decide);
	assert_int_equal(said.kind, 0);
}

static void test_those_that_leave_when_they_are_decided(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		ask(i, true, decide_and_leave);
	assert_int_equal(answers, 4);
}

static void test_sessions_count_while_they_begin(void **state)
{
	(void)state;
	ask(0, true, decide);
	permit_count(&permits[0], "a", decide, &permits[0]);
	assert_ptr_equal(LIST_FIRST(&server.sessions.beginning), &permits[0]);
	permit_count(&permits[0], "b", decide, &permits[0]); /* the first one had gone */
	assert_ptr_equal(LIST_FIRST(&server.sessions.beginning), &permits[0]);
	assert_null(LIST_NEXT(&permits[0], link));
	assert_int_equal(key->use.begun, 1);
	ask(1, true, decide);
	permit_count(&permits[1], "c", decide, &permits[1]);
	permit_begun(&permits[0]);
	permit_begun(&permits[0]);
	assert_int_equal(key->use.begun, 2);
	assert_ptr_equal(LIST_FIRST(&server.sessions.beginning), &permits[1]);
	permit_leave(&permits[1]); /* it failed to begin */
	assert_int_equal(key->use.begun, 3);
	assert_int_equal(answers, 5);
}

static void test_count_without_a_supervisor_is_refused(void **state)
{
	(void)state;
	key->ceiling.quota.sessions = 1;
	ask(0, true, decide);
	permit_count(&permits[0], "a", decide, &permits[0]);
	permit_leave(&permits[0]); /* while the list is asked for, or after it was refused */
	assert_true(LIST_EMPTY(&server.sessions.beginning));
}

static void test_leaving_without_having_asked(void **state)
{
	(void)state;
	permit_leave(&permits[0]);
	permit_open(&permits[0], &server, key);
	assert_int_equal(key->holders, 1);
	permit_leave(&permits[0]);
}

#define PERMIT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PERMIT_TEST(test_places_are_given_back_to_those_that_wait),
		PERMIT_TEST(test_other_work_has_places_of_its_own),
		PERMIT_TEST(test_quota_is_refused_and_closes_the_account),
		PERMIT_TEST(test_those_that_leave_when_they_are_decided),
		PERMIT_TEST(test_sessions_count_while_they_begin),
		PERMIT_TEST(test_count_without_a_supervisor_is_refused),
		PERMIT_TEST(test_leaving_without_having_asked),
	};

	return cmocka_run_group_tests_name("permit", tests, NULL, NULL);
}
