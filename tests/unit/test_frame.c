/*
 * test_frame - frames arrive in pieces of any size, end where their header says, and use only
 * memory for what has arrived.
 */
#include "unit.h"

#include "wire/frame.h"

#define MAX 40 /* bytes of the largest body */

static struct err e;

/*
 * Write a frame with a body of `size` bytes 1, 2, 3..., and something behind it. Returns its
 * length.
 */
static size_t make(unsigned char *out, size_t size, const char *behind)
{
	frame_header((uint32_t)size, out);
	for (size_t i = 0; i < size; i++)
		out[FRAME_HEADER + i] = (unsigned char)(i + 1);
	memcpy(out + FRAME_HEADER + size, behind, strlen(behind));
	return FRAME_HEADER + size + strlen(behind);
}

static void must_hold(const struct frame *f, size_t size)
{
	assert_int_equal(f->size, size);
	assert_int_equal(f->body.length, size);
	for (size_t i = 0; i < size; i++)
		assert_int_equal((unsigned char)f->body.data[i], (unsigned char)(i + 1));
}

/* The block is exactly as large as its content, so that ASan sees any access beyond it. */
static int add(struct frame *f, const unsigned char *bytes, size_t length, size_t *used)
{
	unsigned char *copy = malloc(length ? length : 1);
	int result;

	assert_non_null(copy);
	memcpy(copy, bytes, length);
	*used = SIZE_MAX;
	result = frame_add(f, copy, length, MAX, used, &e);
	free(copy);
	return result;
}

static void test_header_is_little_endian(void **state)
{
	static const struct {
		uint32_t size;
		unsigned char header[FRAME_HEADER];
	} table[] = {
		{0,          {0, 0, 0, 0}            },
		{1,          {1, 0, 0, 0}            },
		{256,        {0, 1, 0, 0}            },
		{0x01020304, {4, 3, 2, 1}            },
		{0x80000000, {0, 0, 0, 0x80}         },
		{UINT32_MAX, {0xff, 0xff, 0xff, 0xff}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		unsigned char header[FRAME_HEADER];
		auto_frame struct frame f = {0};
		size_t used;

		frame_header(table[i].size, header);
		assert_memory_equal(header, table[i].header, FRAME_HEADER);
		assert_int_equal(frame_add(&f, header, sizeof(header), UINT32_MAX, &used, &e),
				 table[i].size == 0);
		assert_int_equal(f.size, table[i].size);
	}
}

/* Cut at any two places: in the header, in the body, between them, or twice at the same place. */
static void test_split_at_every_two_bytes(void **state)
{
	(void)state;
	for (size_t size = 0; size <= 9; size++) {
		unsigned char bytes[FRAME_HEADER + MAX];
		size_t length = make(bytes, size, "");

		for (size_t first = 0; first < length; first++) {
			for (size_t second = first; second < length; second++) {
				auto_frame struct frame f = {0};
				size_t used;

				assert_int_equal(add(&f, bytes, first, &used), 0);
				assert_int_equal(used, first);
				assert_int_equal(add(&f, bytes + first, second - first, &used), 0);
				assert_int_equal(used, second - first);
				assert_int_equal(add(&f, bytes + second, length - second, &used),
						 1);
				assert_int_equal(used, length - second);
				must_hold(&f, size);
			}
		}
	}
}

static void test_byte_for_byte(void **state)
{
	unsigned char bytes[FRAME_HEADER + MAX];
	size_t length = make(bytes, MAX, "");
	auto_frame struct frame f = {0};

	(void)state;
	for (size_t i = 0; i < length; i++) {
		size_t used;

		assert_int_equal(add(&f, bytes + i, 1, &used), i + 1 == length);
		assert_int_equal(used, 1);
	}
	must_hold(&f, MAX);
}

static void test_nothing_is_an_empty_body(void **state)
{
	unsigned char bytes[FRAME_HEADER + 1];
	size_t length = make(bytes, 0, "x");
	auto_frame struct frame f = {0};
	size_t used;

	(void)state;
	assert_int_equal(add(&f, bytes, length, &used), 1);
	assert_int_equal(used, FRAME_HEADER);
	must_hold(&f, 0);
	assert_string_equal(buf_string(&f.body), "");
	/* An empty body is accepted even if the maximum is 0. */
	frame_fini(&f);
	assert_int_equal(frame_add(&f, bytes, FRAME_HEADER, 0, &used, &e), 1);
}

static void test_exactly_the_maximum(void **state)
{
	unsigned char bytes[FRAME_HEADER + MAX];
	size_t length = make(bytes, MAX, "");
	auto_frame struct frame f = {0};
	size_t used;

	(void)state;
	assert_int_equal(add(&f, bytes, length, &used), 1);
	assert_int_equal(used, length);
	must_hold(&f, MAX);
}

/*
 * However the header arrives, its last byte gets the frame refused; nothing of the body is taken.
 */
static void test_one_more_than_the_maximum(void **state)
{
	static const uint32_t sizes[] = {MAX + 1,    0x100 + MAX, 0x1000000,
					 0x7fffffff, 0x80000000,  UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (size_t cut = 0; cut < FRAME_HEADER; cut++) {
			unsigned char bytes[FRAME_HEADER + 3] = {0};
			auto_frame struct frame f = {0};
			char wanted[64];
			size_t used;

			frame_header(sizes[i], bytes);
			assert_int_equal(add(&f, bytes, cut, &used), 0);
			snprintf(wanted, sizeof(wanted), "@frame_add %u ... %d", sizes[i], MAX);
			refuses(add(&f, bytes + cut, sizeof(bytes) - cut, &used) == -1, "too large",
				ERR_INPUT, wanted);
			assert_int_equal(used, FRAME_HEADER - cut);
			assert_null(f.body.data);
			/* It stays refused, whatever follows. */
			refuses(add(&f, bytes, 1, &used) == -1, "once more", ERR_INPUT, wanted);
			assert_int_equal(used, 0);
			assert_null(f.body.data);
		}
	}
}

static void test_a_second_frame_is_left(void **state)
{
	unsigned char bytes[2 * (FRAME_HEADER + MAX)];

	(void)state;
	for (size_t size = 0; size <= MAX; size++) {
		size_t first = make(bytes, size, "");
		size_t both = first + make(bytes + first, 3, "");

		/* Between none and all of the second frame arrives with the first. */
		for (size_t length = first; length <= both; length++) {
			auto_frame struct frame f = {0};
			size_t used;

			assert_int_equal(add(&f, bytes, length, &used), 1);
			assert_int_equal(used, first);
			must_hold(&f, size);
			/* A frame that is complete takes nothing more. */
			assert_int_equal(add(&f, bytes, length, &used), 1);
			assert_int_equal(used, 0);
			must_hold(&f, size);
			frame_fini(&f);
			assert_int_equal(add(&f, bytes + first, length - first, &used),
					 length == both);
			assert_int_equal(used, length - first);
		}
	}
}

static void test_memory_is_for_what_came(void **state)
{
	unsigned char bytes[4096];
	unsigned char header[FRAME_HEADER];
	auto_frame struct frame f = {0};
	size_t used;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	frame_header(UINT32_MAX, header);
	assert_int_equal(frame_add(&f, header, sizeof(header), UINT32_MAX, &used, &e), 0);
	assert_null(f.body.data);
	assert_int_equal(f.body.capacity, 0);
	for (size_t had = 1; had <= 200000; had += sizeof(bytes)) {
		size_t length = had == 1 ? 1 : sizeof(bytes);

		assert_int_equal(frame_add(&f, bytes, length, UINT32_MAX, &used, &e), 0);
		assert_int_equal(used, length);
		assert_true(f.body.capacity <= 256 || f.body.capacity <= 2 * (f.body.length + 1));
	}
	frame_fini(&f);
	assert_null(f.body.data);
	assert_int_equal(f.header_have, 0);
	assert_int_equal(f.size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_is_little_endian),
		cmocka_unit_test(test_split_at_every_two_bytes),
		cmocka_unit_test(test_byte_for_byte),
		cmocka_unit_test(test_nothing_is_an_empty_body),
		cmocka_unit_test(test_exactly_the_maximum),
		cmocka_unit_test(test_one_more_than_the_maximum),
		cmocka_unit_test(test_a_second_frame_is_left),
		cmocka_unit_test(test_memory_is_for_what_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
