/*
 * test_branch_plan - a branch makes anew what must be its own, and nothing else.
 */
#include "unit.h"

#include <sys/mman.h>

#include "cell/branch_plan.h"
#include "inside/plan_map.h"

static struct err e;
static const struct rlimit rlimits[RLIM_NLIMITS];
static const bool rlimits_set[RLIM_NLIMITS];

/* Paths are kept with their leading slash in front. */
#define OP(k, p, ...)                                                                              \
	{                                                                                          \
		.kind = (k), .path = (p) + 1, .tree_fd = -1, __VA_ARGS__                           \
	}

static int make(const struct root_op *ops, size_t count)
{
	static char *const nothing[] = {NULL};
	struct inside_plan session = {.control_fd = -1,
				      .channel_fd = -1,
				      .anchor_fd = -1,
				      .argv = nothing,
				      .envp = nothing,
				      .may_branch = true,
				      .rlimits = rlimits,
				      .rlimits_set = rlimits_set,
				      .ops = ops,
				      .op_count = count};
	int fd;

	accepts(branch_plan_make(&session, &fd, &e), "a plan");
	return fd;
}

static void test_own_file_systems_only(void **state)
{
	static const struct root_op ops[] = {
		OP(ROOT_BASE, "/", .source = "/image"),
		OP(ROOT_TMPFS, "/dev", .source = ""),
		OP(ROOT_DIR, "/dev/shm"),
		OP(ROOT_PROC, "/proc", .source = ""),
		OP(ROOT_TMPFS, "/tmp", .source = "", .landlock_write = true),
		OP(ROOT_DIR, "/tmp/below"),
		OP(ROOT_BIND, "/tmpfiles", .source = "/host"),
		OP(ROOT_DEVPTS, "/dev/pts", .source = ""),
		OP(ROOT_TMPFS, "/workspace", .source = "", .landlock_write = true, .send_fd = true),
		OP(ROOT_SEAL, "/dev"),
	};
	static const char *const wanted[] = {"proc", "tmp", "tmp/below", "dev/pts", "workspace"};
	int fd = make(ops, COUNT(ops));
	struct inside_plan *plan;
	struct stat st;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	plan = mmap((void *)CELL_PLAN_ADDRESS, (size_t)st.st_size, PROT_READ,
		    MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
	assert_ptr_equal(plan, (void *)CELL_PLAN_ADDRESS);
	assert_true(plan->is_branch);
	assert_int_equal(plan->op_count, COUNT(wanted));
	for (size_t i = 0; i < COUNT(wanted); i++)
		assert_string_equal(plan->ops[i].path, wanted[i]);
	munmap(plan, (size_t)st.st_size);
	close(fd);
}

static void test_mount_below_one_of_them_cannot_be(void **state)
{
	static const struct root_op ops[] = {
		OP(ROOT_TMPFS, "/tmp", .source = "", .landlock_write = true),
		OP(ROOT_BIND, "/tmp/data", .source = "/host"),
	};

	(void)state;
	assert_int_equal(make(ops, COUNT(ops)), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_file_systems_only),
		cmocka_unit_test(test_mount_below_one_of_them_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
