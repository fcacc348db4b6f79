/*
 * test_idblock - blocks do not overlap, are held as long as their socket, and are what they say.
 */
#include "unit.h"

#include "base/own.h"
#include "host/idblock.h"

#define FIRST 0x80000000u

static void test_blocks_do_not_overlap(void **state)
{
	struct idblock blocks[20];
	struct err e;

	(void)state;
	for (size_t i = 0; i < COUNT(blocks); i++) {
		accepts(idblock_open(&blocks[i], &e), "a block");
		assert_true(blocks[i].first >= FIRST);
		assert_true(blocks[i].first <= UINT32_MAX - IDBLOCK_COUNT);
		assert_int_equal(blocks[i].first % IDBLOCK_COUNT, 0);
		for (size_t j = 0; j < i; j++)
			assert_true(blocks[j].first != blocks[i].first);
	}
	for (size_t i = 0; i < COUNT(blocks); i++)
		idblock_close(&blocks[i]);
}

static void test_a_closed_block_is_free_again(void **state)
{
	struct idblock block;
	uint32_t first;
	struct err e;

	(void)state;
	accepts(idblock_open(&block, &e), "a block");
	first = block.first;
	idblock_close(&block);
	assert_int_equal(block.lock_fd, -1);
	accepts(idblock_open(&block, &e), "a block");
	assert_int_equal(block.first, first); /* the search starts at our pid */
	idblock_close(&block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_do_not_overlap),
		cmocka_unit_test(test_a_closed_block_is_free_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
