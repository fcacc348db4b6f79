/*
 * test_plan_image - a plan that is mapped at its address equals the original, and all its pointers
 * lead into itself.
 */
#include "unit.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>

#include "inside/plan_map.h"
#include "sandbox/plan_image.h"

#define TREES 3

static struct err e;
static struct inside_plan *image; /* the mapped image */
static uint64_t image_bytes;
static int trees[8];
static unsigned tree_count;

static void make(const struct inside_plan *plan, unsigned max_trees)
{
	void *at = (void *)CELL_PLAN_ADDRESS;
	struct stat st;
	int fd = -1;

	accepts(plan_image_make(plan, &fd, &image_bytes, trees, max_trees, &tree_count, &e),
		"a plan");
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, image_bytes);
	image = mmap(at, image_bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
	assert_ptr_equal(image, at);
	close(fd);
}

static int unmap(void **state)
{
	(void)state;
	if (image)
		munmap(image, image_bytes);
	image = NULL;
	return 0;
}

/* Check that all of it lies in the image, correctly aligned. */
static void must_be_inside(const void *pointer, size_t size, size_t alignment)
{
	uintptr_t at = (uintptr_t)pointer;

	assert_in_range(at, CELL_PLAN_ADDRESS, CELL_PLAN_ADDRESS + image_bytes);
	assert_true(size <= CELL_PLAN_ADDRESS + image_bytes - at);
	assert_int_equal(at % alignment, 0);
}

static void must_be_text(const char *copy, const char *original)
{
	if (!original) {
		assert_null(copy);
		return;
	}
	must_be_inside(copy, strlen(original) + 1, 1);
	assert_string_equal(copy, original);
}

static void must_be_bytes(const void *copy, const void *original, size_t size, size_t alignment)
{
	must_be_inside(copy, size, alignment);
	if (size)
		assert_memory_equal(copy, original, size);
}

/* They must also lie one behind the other, as ps(1) reads them. */
static void must_be_list(char *const *copy, char *const *original)
{
	size_t count = 0;

	while (original[count])
		count++;
	must_be_inside(copy, (count + 1) * sizeof(*copy), _Alignof(char *));
	assert_null(copy[count]);
	for (size_t i = 0; i < count; i++) {
		must_be_text(copy[i], original[i]);
		if (i)
			assert_ptr_equal(copy[i], copy[i - 1] + strlen(copy[i - 1]) + 1);
	}
}

static void must_be_op(const struct root_op *copy, const struct root_op *original, int *next_tree)
{
	assert_int_equal(copy->kind, original->kind);
	must_be_text(copy->path - 1, original->path - 1);
	assert_int_equal(copy->path[-1], '/');
	must_be_text(copy->source, original->source);
	must_be_bytes(copy->bytes, original->bytes, original->length, 1);
	assert_int_equal(copy->length, original->length);
	assert_int_equal(copy->device, original->device);
	assert_int_equal(copy->inode, original->inode);
	assert_int_equal(copy->attributes, original->attributes);
	assert_int_equal(copy->mode, original->mode);
	assert_int_equal(copy->landlock_write, original->landlock_write);
	assert_int_equal(copy->is_file, original->is_file);
	assert_int_equal(copy->seal, original->seal);
	assert_int_equal(copy->is_stage, original->is_stage);
	if (original->tree_fd < 0) {
		assert_int_equal(copy->tree_fd, original->tree_fd);
		return;
	}
	assert_int_equal(copy->tree_fd, *next_tree);
	assert_int_equal(trees[(*next_tree)++], original->tree_fd);
}

static void must_be_scalars(const struct inside_plan *plan)
{
	assert_int_equal(image->uid, plan->uid);
	assert_int_equal(image->gid, plan->gid);
	assert_int_equal(image->may_set_groups, plan->may_set_groups);
	assert_int_equal(image->outer_fd, plan->outer_fd);
	assert_int_equal(image->control_fd, plan->control_fd);
	assert_memory_equal(image->stdio, plan->stdio, sizeof(plan->stdio));
	assert_int_equal(image->channel_fd, plan->channel_fd);
	assert_int_equal(image->egress_fd, plan->egress_fd);
	assert_int_equal(image->egress_port_count, plan->egress_port_count);
	assert_int_equal(image->egress_pool_count, plan->egress_pool_count);
	assert_int_equal(image->egress_has_stub, plan->egress_has_stub);
	assert_int_equal(image->tty, plan->tty);
	assert_int_equal(image->tty_rows, plan->tty_rows);
	assert_int_equal(image->tty_columns, plan->tty_columns);
	assert_int_equal(image->is_nursery, plan->is_nursery);
	assert_int_equal(image->is_cell, plan->is_cell);
	assert_int_equal(image->oom_score_adj, plan->oom_score_adj);
	assert_int_equal(image->landlock_abi, plan->landlock_abi);
}

static void must_be(const struct inside_plan *plan)
{
	int next_tree = 0;

	must_be_scalars(plan);
	must_be_text(image->hostname, plan->hostname);
	must_be_text(image->workdir, plan->workdir);
	must_be_text(image->search_path, plan->search_path);
	must_be_list(image->argv, plan->argv);
	must_be_list(image->envp, plan->envp);
	assert_int_equal(image->op_count, plan->op_count);
	must_be_inside(image->ops, plan->op_count * sizeof(*image->ops), _Alignof(struct root_op));
	for (size_t i = 0; i < plan->op_count; i++)
		must_be_op(&image->ops[i], &plan->ops[i], &next_tree);
	assert_int_equal(tree_count, next_tree);
	must_be_bytes(image->egress_ports, plan->egress_ports,
		      plan->egress_port_count * sizeof(*plan->egress_ports), _Alignof(uint16_t));
	must_be_bytes(image->rlimits, plan->rlimits, RLIM_NLIMITS * sizeof(*plan->rlimits),
		      _Alignof(struct rlimit));
	must_be_bytes(image->rlimits_set, plan->rlimits_set,
		      RLIM_NLIMITS * sizeof(*plan->rlimits_set), 1);
	assert_int_equal(image->filter.len, plan->filter.len);
	if (plan->filter.filter)
		must_be_bytes(image->filter.filter, plan->filter.filter,
			      plan->filter.len * sizeof(*plan->filter.filter),
			      _Alignof(struct sock_filter));
	else
		assert_null(image->filter.filter);
}

static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc000003e, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* Relative, with the slash of root_plan in front. */
#define PATH(text) (&("/" text)[1])

static const struct root_op ops[] = {
	{.kind = ROOT_BASE,
	 .path = PATH(""),
	 .source = "/srv/tree",
	 .device = 7,
	 .inode = 1ull << 40,
	 .tree_fd = -1,
	 .attributes = 1},
	{.kind = ROOT_DIR,  .path = PATH("usr/lib"),                                                   .mode = 01755,													    .tree_fd = -1},
	{.kind = ROOT_FILE,
	 .path = PATH("etc/odd"),
	 .bytes = "a\0b\nc",
	 .length = 5,
	 .mode = 0444,
	 .tree_fd = -1},
	{.kind = ROOT_BIND,                    .path = PATH("workspace"),                                             .tree_fd = 71,												    .landlock_write = true},
	{.kind = ROOT_FILE,          .path = PATH("etc/empty"),                                                    .bytes = "",													      .tree_fd = -1, .is_file = true},
	{.kind = ROOT_BIND,    .path = PATH("one"), .tree_fd = 0, .is_file = true},
	{.kind = ROOT_LINK,                    .path = PATH("bin"),                                             .source = "usr/bin",                                                                    .tree_fd = -1},
	{.kind = ROOT_TMPFS,
	 .path = PATH("tmp"),
	 .source = "size=1m,mode=1777",
	 .tree_fd = -1,
	 .seal = true,
	 .is_stage = true,
	 .attributes = UINT64_MAX},
	{.kind = ROOT_BIND,.path = PATH("last"),                           .source = "/named/too",                                                                     .tree_fd = 70},
	{.kind = ROOT_TEXT,    .path = PATH("etc/hosts"),       .bytes = "x\n", .length = 2, .tree_fd = -1},
	{.kind = ROOT_SEAL,                    .path = PATH("tmp"),                                            .tree_fd = -1												       },
};

static const uint16_t ports[] = {80, 443, 65535};
static struct rlimit rlimits[RLIM_NLIMITS];
static bool rlimits_set[RLIM_NLIMITS];
static const char *const argv[] = {"python3", "", "-c", "print('\xc3\xa9')", "a b", NULL};
static const char *const envp[] = {"PATH=/usr/bin:/bin", "EMPTY=", "LANG=C.UTF-8", NULL};

static struct inside_plan whole_plan(void)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		rlimits[i] = (struct rlimit){(rlim_t)i, RLIM_INFINITY - (rlim_t)i};
		rlimits_set[i] = i % 3 == 0;
	}
	return (struct inside_plan){
		.uid = 1000,
		.gid = 65534,
		.may_set_groups = true,
		.hostname = "sandbox",
		.outer_fd = 11,
		.control_fd = 12,
		.stdio = {-1, 13,          14},
		.channel_fd = 15,
		.egress_fd = 16,
		.egress_ports = ports,
		.egress_port_count = COUNT(ports),
		.egress_pool_count = 48,
		.egress_has_stub = true,
		.tty = true,
		.tty_rows = 24,
		.tty_columns = 65535,
		.ops = ops,
		.op_count = COUNT(ops),
		.workdir = "/workspace",
		.argv = (char *const *)argv,
		.envp = (char *const *)envp,
		.search_path = "/usr/bin:/bin",
		.is_nursery = true,
		.is_cell = true,
		.oom_score_adj = 900,
		.rlimits = rlimits,
		.rlimits_set = rlimits_set,
		.landlock_abi = 6,
		.filter = {COUNT(filter),  filter},
	};
}

static void test_a_whole_plan(void **state)
{
	struct inside_plan plan = whole_plan();

	(void)state;
	make(&plan, COUNT(trees));
	must_be(&plan);
	assert_int_equal(tree_count, TREES);
}

/* Nothing in it points to the original, which can be freed. */
static void test_the_original_is_left_alone(void **state)
{
	struct inside_plan plan = whole_plan();
	struct inside_plan before = plan;
	struct root_op ops_before[COUNT(ops)];

	(void)state;
	memcpy(ops_before, ops, sizeof(ops));
	make(&plan, COUNT(trees));
	assert_memory_equal(&plan, &before, sizeof(plan));
	assert_memory_equal(ops, ops_before, sizeof(ops));
}

static void test_the_least_plan(void **state)
{
	static char *none[] = {NULL};
	struct inside_plan plan = whole_plan();

	(void)state;
	plan.hostname = plan.workdir = plan.search_path = NULL;
	plan.argv = plan.envp = none;
	plan.ops = NULL;
	plan.op_count = 0;
	plan.filter = (struct sock_fprog){0}; /* seccomp=unconfined */
	plan.egress_ports = NULL;
	plan.egress_port_count = 0;
	make(&plan, 0);
	must_be(&plan);
	assert_int_equal(tree_count, 0);
}

/* Lengths that put everything behind them at every offset from an aligned address. */
static void test_every_alignment(void **state)
{
	char text[40];
	char *list[] = {text, text, NULL};

	(void)state;
	for (size_t length = 0; length < sizeof(text) - 1; length++) {
		struct inside_plan plan = whole_plan();

		memset(text, 'x', length);
		text[length] = '\0';
		plan.hostname = plan.workdir = plan.search_path = text;
		plan.argv = plan.envp = list;
		make(&plan, COUNT(trees));
		must_be(&plan);
		unmap(NULL);
	}
}

static void test_large_bytes_and_many_arguments(void **state)
{
	static char bytes[3 << 20];
	static char *many[5001];
	struct root_op op = {
		.kind = ROOT_FILE,
		.path = PATH("code.py"),
		.bytes = bytes,
		.length = sizeof(bytes),
		.tree_fd = -1,
	};
	struct inside_plan plan = whole_plan();

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 2654435761u >> 13);
	for (size_t i = 0; i < COUNT(many) - 1; i++)
		many[i] = (char *)argv[i % (COUNT(argv) - 1)];
	plan.ops = &op;
	plan.op_count = 1;
	plan.argv = many;
	make(&plan, 0);
	must_be(&plan);
}

static void test_as_many_trees_as_there_is_room(void **state)
{
	struct inside_plan plan = whole_plan();
	unsigned before = unit_count_open();

	(void)state;
	make(&plan, TREES);
	must_be(&plan);
	unmap(NULL);
	for (unsigned room = 0; room < TREES; room++) {
		int fd = -1;

		for (size_t i = 0; i < COUNT(trees); i++)
			trees[i] = -7;
		refuses(plan_image_make(&plan, &fd, &image_bytes, trees, room, &tree_count, &e),
			"trees", ERR_UNSUPPORTED, "@plan_image_make#many");
		assert_int_equal(fd, -1);
		for (size_t i = room; i < COUNT(trees); i++)
			assert_int_equal(trees[i], -7); /* not one byte beyond the end */
	}
	assert_int_equal(unit_count_open(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_a_whole_plan, unmap),
		cmocka_unit_test_teardown(test_the_original_is_left_alone, unmap),
		cmocka_unit_test_teardown(test_the_least_plan, unmap),
		cmocka_unit_test_teardown(test_every_alignment, unmap),
		cmocka_unit_test_teardown(test_large_bytes_and_many_arguments, unmap),
		cmocka_unit_test_teardown(test_as_many_trees_as_there_is_room, unmap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
