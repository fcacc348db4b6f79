/*
 * test_idblock - blocks of ids do not overlap, and are held for as long as their locks.
 */
#include "unit.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/own.h"
#include "namespace/idblock.h"

#define FIRST 0x80000000u

static const struct idblock_pool pool = {FIRST, (1u << 18) - 1};

static int base;

static int enter(void **state)
{
	(void)state;
	base = unit_enter();
	return 0;
}

static int leave(void **state)
{
	(void)state;
	unit_leave(base);
	return 0;
}

static void test_blocks_do_not_overlap(void **state)
{
	struct idblock blocks[20];
	struct err e;

	(void)state;
	for (size_t i = 0; i < COUNT(blocks); i++) {
		accepts(idblock_open_in(unit_directory, &pool, &blocks[i], &e), "a block");
		assert_true(blocks[i].first >= FIRST);
		assert_true(blocks[i].first <= UINT32_MAX - IDBLOCK_COUNT);
		assert_int_equal(blocks[i].first % IDBLOCK_COUNT, 0);
		for (size_t j = 0; j < i; j++)
			assert_true(blocks[j].first != blocks[i].first);
	}
	for (size_t i = 0; i < COUNT(blocks); i++)
		idblock_close(&blocks[i]);
}

static void test_a_pool_has_so_many_blocks(void **state)
{
	const struct idblock_pool two = {100000, 2};
	struct idblock blocks[3];
	struct err e;

	(void)state;
	accepts(idblock_open_in(unit_directory, &two, &blocks[0], &e), "the first");
	accepts(idblock_open_in(unit_directory, &two, &blocks[1], &e), "the second");
	assert_int_equal(blocks[0].first + blocks[1].first, 200000 + IDBLOCK_COUNT);
	refuses(idblock_open_in(unit_directory, &two, &blocks[2], &e), "no more", ERR_UNSUPPORTED,
		"@idblock_open_in#3");
	assert_int_equal(blocks[2].lock_fd, -1);
	idblock_close(&blocks[0]);
	idblock_close(&blocks[1]);
}

static void test_a_closed_block_is_free_again(void **state)
{
	struct idblock block;
	uint32_t first;
	struct err e;

	(void)state;
	accepts(idblock_open_in(unit_directory, &pool, &block, &e), "a block");
	first = block.first;
	idblock_close(&block);
	assert_int_equal(block.lock_fd, -1);
	accepts(idblock_open_in(unit_directory, &pool, &block, &e), "a block");
	assert_int_equal(block.first, first); /* the search starts with the block of our pid */
	idblock_close(&block);
}

/* Anybody can bind abstract sockets, so those that are taken must not block us. */
static void test_sockets_of_others_do_not_matter(void **state)
{
	enum { SOCKETS = 1500 };
	int sockets[SOCKETS];
	struct rlimit files;
	struct idblock block;
	struct err e;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_max < SOCKETS + 50) {
		printf("cannot: a process may have %ju descriptors here, not %d\n",
		       (uintmax_t)files.rlim_max, SOCKETS + 50);
		skip();
	}
	for (unsigned i = 0; i < SOCKETS; i++) {
		struct sockaddr_un name = {.sun_family = AF_UNIX};
		int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
				      "glovebox/ids/%u", (unsigned)getpid() + i);

		sockets[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		(void)bind(
			sockets[i], (struct sockaddr *)&name,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length));
	}
	accepts(idblock_open_in(unit_directory, &pool, &block, &e), "a block");
	idblock_close(&block);
	for (unsigned i = 0; i < SOCKETS; i++)
		close(sockets[i]);
}

static void test_directory_that_others_write_to_is_refused(void **state)
{
	struct idblock block;
	struct err e;

	(void)state;
	assert_int_equal(fchmod(base, 0777), 0);
	refuses(idblock_open_in(unit_directory, &pool, &block, &e), "0777", ERR_INPUT,
		"@private_dir_open_at#must");
	assert_int_equal(block.lock_fd, -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(test_blocks_do_not_overlap),
		TEST(test_a_pool_has_so_many_blocks),
		TEST(test_a_closed_block_is_free_again),
		TEST(test_sockets_of_others_do_not_matter),
		TEST(test_directory_that_others_write_to_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
