/*
 * test_own - allocation with memory, without memory, and from the reserve.
 */
#include "unit.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/own.h"

#define RESERVE (8u << 20)
#define NEED    (6u << 20) /* more than a new heap has to spare, and less than the reserve */
#define PIECE   10000

/* AddressSanitizer and valgrind need much memory themselves: they do not run under a limit. */
#ifdef __SANITIZE_ADDRESS__
#define CAN_LIMIT 0
#else
#define CAN_LIMIT (!RUNNING_ON_VALGRIND)
#endif

/*
 * Returns the exit status of a child that has done this; a failed check is 1, and is printed on
 * stderr.
 */
static int in_child(void (*body)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		const struct rlimit none = {0, 0};

		setrlimit(RLIMIT_CORE, &none);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void limit_memory(rlim_t bytes)
{
	struct rlimit limit;

	CHECK(!getrlimit(RLIMIT_AS, &limit));
	limit.rlim_cur = bytes;
	CHECK(!setrlimit(RLIMIT_AS, &limit));
}

/* From here on the kernel gives nothing more. */
static void limit_to_what_is_in_use(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	CHECK(f && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	limit_memory(pages * (rlim_t)sysconf(_SC_PAGESIZE));
}

/* Allocate with each function in turn, and check the content. */
static void allocate(void)
{
	char *blocks[NEED / PIECE];
	unsigned count = 0;

	while (count < NEED / PIECE) {
		char *block = own_zeroed(PIECE, 1);

		CHECK(!block[0] && !block[PIECE - 1]);
		block = own_resize(block, PIECE / 10, 11);
		memset(block, 'x', PIECE - 1);
		CHECK(!block[PIECE - 1]);
		blocks[count] = count % 2 ? own_strdup(block) : own_printf("%s", block);
		CHECK(strlen(blocks[count]) == PIECE - 1);
		free(block);
		count++;
	}
	while (count)
		free(blocks[--count]);
}

/* -- without a reserve --------------------------------------------------------------------- */

static void without_a_reserve(void)
{
	limit_to_what_is_in_use();
	allocate();
}

static void test_without_a_reserve_the_process_aborts(void **state)
{
	int status;

	(void)state;
	if (!CAN_LIMIT)
		return;
	status = in_child(without_a_reserve);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void too_large_for_any_machine(void)
{
	CHECK(!own_reserve(RESERVE));
	(void)own_zeroed(SIZE_MAX / 4, 8);
}

static void test_what_no_machine_has_is_not_tried_for_ever(void **state)
{
	int status;

	(void)state;
	if (!CAN_LIMIT) /* where the lack of memory is an error, not the end */
		return;
	status = in_child(too_large_for_any_machine);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

/* -- with a reserve ------------------------------------------------------------------------ */

static void with_a_reserve(void)
{
	CHECK(!own_reserve(RESERVE));
	limit_to_what_is_in_use();
	allocate();
}

static void with_far_less_allowed_than_is_in_use(void)
{
	CHECK(!own_reserve(RESERVE));
	limit_memory(1);
	allocate();
}

static void with_one_large_block(void)
{
	CHECK(!own_reserve(RESERVE));
	limit_memory(1);
	memset(own_zeroed(1, NEED), 'x', NEED);
}

static void test_what_cannot_be_had_is_taken_from_the_reserve(void **state)
{
	(void)state;
	if (!CAN_LIMIT)
		return;
	assert_int_equal(in_child(with_a_reserve), 0);
	assert_int_equal(in_child(with_far_less_allowed_than_is_in_use), 0);
	assert_int_equal(in_child(with_one_large_block), 0);
}

/* Memory that one request has used is there for the next. */
static void one_after_the_other(void)
{
	CHECK(!own_reserve(RESERVE));
	limit_memory(1);
	for (int i = 0; i < 100; i++) {
		CHECK(!own_reserve(RESERVE));
		allocate();
	}
}

static void test_what_was_taken_and_given_back_is_laid_aside_again(void **state)
{
	(void)state;
	if (CAN_LIMIT)
		assert_int_equal(in_child(one_after_the_other), 0);
}

static void there_is_none(void)
{
	limit_to_what_is_in_use();
	CHECK(own_reserve(RESERVE) == -1);
	CHECK(own_reserve(RESERVE) == -1);
	free(own_strdup("what is left over is enough to say so"));
	limit_memory(RLIM_INFINITY);
	CHECK(!own_reserve(RESERVE));
	limit_to_what_is_in_use();
	allocate();
}

static void test_a_reserve_that_cannot_be_had_is_said(void **state)
{
	(void)state;
	if (CAN_LIMIT)
		assert_int_equal(in_child(there_is_none), 0);
}

/* If a request keeps what it took from the reserve, the next one is refused, and told why. */
static void it_is_used_up(void)
{
	unsigned kept = 0;

	CHECK(!own_reserve(RESERVE));
	limit_to_what_is_in_use();
	while (!own_reserve(RESERVE)) {
		CHECK(++kept < 100);
		memset(own_zeroed(1, NEED), 'x', NEED);
	}
	CHECK(kept);
	limit_memory(RLIM_INFINITY);
	CHECK(!own_reserve(RESERVE));
}

static void test_a_reserve_that_was_kept_is_gone(void **state)
{
	(void)state;
	if (CAN_LIMIT)
		assert_int_equal(in_child(it_is_used_up), 0);
}

static void test_a_reserve_changes_nothing_where_there_is_memory(void **state)
{
	(void)state;
	assert_int_equal(own_reserve(RESERVE), 0);
	assert_int_equal(own_reserve(RESERVE), 0);
	allocate();
	assert_int_equal(own_reserve(RESERVE), 0);
}

/* -- the rest ------------------------------------------------------------------------------ */

static void test_grow_has_room_for_one_more_and_keeps_what_was(void **state)
{
	uint64_t *items = NULL;

	(void)state;
	for (uint64_t count = 0; count < 1000; count++) {
		uint64_t *before = items;

		items = own_grow(items, count, sizeof(*items));
		if (count & (count - 1)) /* the array is full only at powers of two */
			assert_ptr_equal(items, before);
		items[count] = count * count;
		for (uint64_t i = 0; i <= count; i++)
			assert_int_equal(items[i], i * i);
	}
	free(items);
}

static void test_copies(void **state)
{
	char *text;

	(void)state;
	assert_null(own_strdup(NULL));
	text = own_strndup("a\0b", 3);
	assert_string_equal(text, "a");
	free(text);
	text = own_strndup("abc", 2);
	assert_string_equal(text, "ab");
	own_free(&text);
	assert_null(text);
	own_free(&text);
	text = own_printf("%s-%d", "x", 7);
	assert_string_equal(text, "x-7");
	free(take_ptr(&text));
	assert_null(text);
}

static void test_resize_of_nothing_makes_a_block(void **state)
{
	char *block = own_resize(NULL, 3, 5);

	(void)state;
	memcpy(block, "fourteen bytes", 15);
	block = own_resize(block, 1000, 5);
	assert_string_equal(block, "fourteen bytes");
	free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_reserve_the_process_aborts),
		cmocka_unit_test(test_what_no_machine_has_is_not_tried_for_ever),
		cmocka_unit_test(test_what_cannot_be_had_is_taken_from_the_reserve),
		cmocka_unit_test(test_what_was_taken_and_given_back_is_laid_aside_again),
		cmocka_unit_test(test_a_reserve_that_cannot_be_had_is_said),
		cmocka_unit_test(test_a_reserve_that_was_kept_is_gone),
		cmocka_unit_test(test_a_reserve_changes_nothing_where_there_is_memory),
		cmocka_unit_test(test_grow_has_room_for_one_more_and_keeps_what_was),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_resize_of_nothing_makes_a_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
