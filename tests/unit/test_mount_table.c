/*
 * test_mount_table - mountinfo as the kernel writes it, and which mount is below which.
 */
#include "unit.h"

#include <sys/sysmacros.h>

#include "base/own.h"
#include "host/mount_table.h"

static struct err e;

static void parse(struct mount_table *t, const char *text)
{
	*t = (struct mount_table){0};
	buf_text(&t->text, text);
	accepts(mount_table_parse(t, &e), text);
}

static void test_a_line_is_read(void **state)
{
	auto_mount_table struct mount_table t;

	(void)state;
	parse(&t, "36 35 98:17 /mnt1 /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root rw\n");
	assert_int_equal(t.count, 1);
	assert_int_equal(t.items[0].id, 36);
	assert_int_equal(t.items[0].parent, 35);
	assert_int_equal(t.items[0].device, makedev(98, 17));
	assert_string_equal(t.items[0].point, "/mnt2");
	assert_string_equal(t.items[0].type, "ext3");
}

static void test_escapes_are_decoded(void **state)
{
	static const char *const pairs[][2] = {
		{"/a\\040b",         "/a b"          },
                {"/a\\011b",         "/a\tb"         },
		{"/a\\012b",         "/a\nb"         },
                {"/a\\134b",         "/a\\b"         },
		{"/a\\043b",         "/a#b"          },
                {"/a\\134040b",      "/a\\040b"      },
		{"/\\040",           "/ "            },
                {"/a\\04",           "/a\\04"        },
		{"/a\\0409",         "/a 9"          },
                {"/\\303\\274\\400", "/\303\274\\400"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		auto_mount_table struct mount_table t;
		char line[100];

		snprintf(line, sizeof(line), "1 0 0:5 / %s rw - proc none rw\n", pairs[i][0]);
		parse(&t, line);
		assert_string_equal(t.items[0].point, pairs[i][1]);
	}
}

static void test_what_is_no_line_is_refused(void **state)
{
	static const char *const lines[] = {"x\n", "1 0 0:5 / /x rw\n",
					    "1 0 05 / /x rw - proc none rw\n", "1 0 0:5 /\n",
					    " \n"};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		auto_mount_table struct mount_table t = {0};

		buf_text(&t.text, lines[i]);
		refuses(mount_table_parse(&t, &e), lines[i], ERR_SYSTEM, "mountinfo");
	}
}

/* 1 is the root, its own parent; children may come before their parents. */
static void test_below_goes_by_numbers(void **state)
{
	static const bool wanted[] = {true, true, false, true, false};
	auto_mount_table struct mount_table t;

	(void)state;
	parse(&t,
	      "9 7 0:1 / /elsewhere rw - proc p rw\n"
	      "7 5 0:2 / /b rw - tmpfs t rw\n"
	      "1 1 0:3 / / rw - ext4 d rw\n"
	      "5 1 0:4 / /a rw - tmpfs t rw\n"
	      "6 1 0:5 / /a/b rw - proc p rw\n");
	mount_table_mark(&t, 5);
	for (size_t i = 0; i < t.count; i++)
		assert_int_equal(t.items[i].below, wanted[i]);
	assert_ptr_equal(mount_table_find(&t, 6), &t.items[4]);
	assert_null(mount_table_find(&t, 8));
	assert_true(mount_table_has_device(&t, makedev(0, 3)));
	assert_false(mount_table_has_device(&t, makedev(3, 0)));
}

static void test_our_own_table(void **state)
{
	auto_fd int fd = mount_table_open(&e);
	auto_fd int proc = open("/proc", O_PATH | O_CLOEXEC);
	uint64_t id;

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		auto_mount_table struct mount_table t;

		accepts(mount_table_read(fd, &t, &e), "mountinfo");
		accepts(mount_table_id(proc, &id, &e), "/proc");
		assert_non_null(mount_table_find(&t, id));
		assert_string_equal(mount_table_find(&t, id)->type, "proc");
		assert_true(mount_table_is_kernels(mount_table_find(&t, id)->type));
	}
	assert_false(mount_table_is_kernels("ext4"));
	assert_false(mount_table_is_kernels("fuse.proc"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_is_read),
		cmocka_unit_test(test_escapes_are_decoded),
		cmocka_unit_test(test_what_is_no_line_is_refused),
		cmocka_unit_test(test_below_goes_by_numbers),
		cmocka_unit_test(test_our_own_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
