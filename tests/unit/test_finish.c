/*
 * test_finish - flags in combination: conflicts, defaults, order.
 */
#include "unit.h"

#include <unistd.h>

#include "cli/presentation.h"
#include "flags/setting_words.h"
#include "spec/mount_flags.h"

static struct sandbox_spec spec;
static struct err e;

static int new_spec(void **state)
{
	(void)state;
	spec_init(&spec);
	return 0;
}

static int end_spec(void **state)
{
	(void)state;
	spec_fini(&spec);
	return 0;
}

/* Parse flags, each of which is valid by itself, and finish the spec. */
static int finish(const char *const *argv)
{
	struct presentation show = {0};
	struct settings settings;
	int argc = 0;
	int used;

	spec_fini(&spec);
	spec_init(&spec);
	settings = presentation_settings(&spec, &show);
	while (argv[argc])
		argc++;
	e = (struct err){0};
	if (setting_words(&settings, argc, (char **)argv, &used, &e))
		fail_msg("flags: %s", e.text);
	assert_int_equal(used, argc);
	return presentation_check(&show, &spec, &e) || spec_finish(&spec, &e) ? -1 : 0;
}

#define FLAGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct mount_spec *at(const char *target)
{
	for (size_t i = 0; i < spec.mount_count; i++) {
		if (!strcmp(spec.mounts[i].target, target))
			return &spec.mounts[i];
	}
	return NULL;
}

static void test_defaults_without_flags(void **state)
{
	(void)state;
	accepts(finish(FLAGS(NULL)), "nothing");
	assert_int_equal(spec.mount_count, 2);
	assert_string_equal(spec.mounts[0].target, "/dev/shm");
	assert_string_equal(spec.mounts[1].target, "/tmp");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(spec.mounts[i].kind, MOUNT_TMPFS);
		assert_int_equal(spec.mounts[i].size_bytes, i ? 256 << 20 : 64 << 20);
		assert_int_equal(spec.mounts[i].inodes, DEFAULT_TMPFS_INODES);
		assert_int_equal(spec.mounts[i].mode, 01777);
		assert_false(spec.mounts[i].exec);
		assert_false(spec.mounts[i].read_only);
	}
	assert_int_equal(spec.limits.swap_bytes, 0);
}

static void test_own_tmp_replaces_the_default(void **state)
{
	(void)state;
	accepts(finish(FLAGS("--tmpfs", "/tmp:size=1m,exec", "-v", "/s:/dev/shm:ro")), "own");
	assert_int_equal(spec.mount_count, 2);
	assert_int_equal(at("/tmp")->size_bytes, 1 << 20);
	assert_true(at("/tmp")->exec);
	assert_int_equal(at("/dev/shm")->kind, MOUNT_BIND);
	accepts(finish(FLAGS("--shm-size=1m")), "--shm-size");
	assert_int_equal(at("/dev/shm")->size_bytes, 1 << 20);
}

static void test_swap_is_what_memory_swap_is_beyond_memory(void **state)
{
	(void)state;
	accepts(finish(FLAGS("-m", "64m", "--memory-swap", "100m")), "36m");
	assert_int_equal(spec.limits.swap_bytes, 36 << 20);
	accepts(finish(FLAGS("--memory-swap", "64m", "-m", "64m")), "none, in either order");
	assert_int_equal(spec.limits.swap_bytes, 0);
	accepts(finish(FLAGS("--memory-swap=-1")), "-1");
	assert_int_equal(spec.limits.swap_bytes, SPEC_UNLIMITED);
	accepts(finish(FLAGS("-m", "0")), "no limit");
	assert_int_equal(spec.limits.memory_bytes, SPEC_UNLIMITED);
	refuses(finish(FLAGS("-m", "64m", "--memory-swap", "63m")), "less", ERR_INPUT, "64m");
	refuses(finish(FLAGS("--memory-swap", "511m")), "less than the default", ERR_INPUT, "512m");
	refuses(finish(FLAGS("-m", "0", "--memory-swap", "1g")), "without", ERR_INPUT,
		"@finish_check_memory#needs --memory");
}

static void test_memory_swap_zero_is_unset(void **state)
{
	(void)state;
	accepts(finish(FLAGS("-m", "64m", "--memory-swap", "0")), "as docker documents it");
	assert_int_equal(spec.limits.swap_bytes, 0);
}

static void test_cpus_and_quota_conflict(void **state)
{
	(void)state;
	refuses(finish(FLAGS("--cpus=1", "--cpu-quota=50000")), "both", ERR_INPUT,
		"@finish_check_cpu --cpus");
	refuses(finish(FLAGS("--cpu-period=50000", "--cpus=1")), "both", ERR_INPUT,
		"@finish_check_cpu --cpus");
	accepts(finish(FLAGS("--cpu-period=50000", "--cpu-quota=25000")), "period and quota");
	assert_int_equal(spec.limits.cpu_quota_us, 25000);
	assert_int_equal(spec.limits.cpu_period_us, 50000);
	accepts(finish(FLAGS("--cpus=0")), "no limit");
	assert_int_equal(spec.limits.cpu_quota_us, SPEC_UNLIMITED);
}

static void test_more_cpus_than_there_are_are_refused_as_docker_does(void **state)
{
	char flag[32];
	long there = sysconf(_SC_NPROCESSORS_ONLN);

	(void)state;
	snprintf(flag, sizeof(flag), "--cpus=%ld", there);
	accepts(finish(FLAGS(flag)), "all");
	snprintf(flag, sizeof(flag), "--cpus=%ld.01", there);
	refuses(finish(FLAGS(flag)), "more", ERR_INPUT, "@finish_check_cpu_count 0.01");
	snprintf(flag, sizeof(flag), "%ld.00", there);
	refuses(finish(FLAGS("--cpus=1000")), "many", ERR_INPUT, flag);
}

/* "--cpus 0" is "not given": it must not undo a quota, whatever the order. */
static void test_cpus_zero_does_not_undo_a_quota(void **state)
{
	const char *const *const orders[] = {
		FLAGS("--cpus=0", "--cpu-period=50000", "--cpu-quota=25000"),
		FLAGS("--cpu-period=50000", "--cpu-quota=25000", "--cpus=0"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(orders); i++) {
		if (finish(orders[i]))
			continue; /* a conflict is an answer, too */
		assert_int_equal(spec.limits.cpu_quota_us, 25000);
		assert_int_equal(spec.limits.cpu_period_us, 50000);
	}
}

/* A period alone says how finely, not how much: one cpu stays one cpu. */
static void test_period_alone_does_not_loosen_the_limit(void **state)
{
	static const char *const periods[] = {"1000", "50000", "1000000"};

	(void)state;
	for (size_t i = 0; i < COUNT(periods); i++) {
		if (finish(FLAGS("--cpu-period", periods[i])))
			continue;
		assert_int_equal(spec.limits.cpu_quota_us, spec.limits.cpu_period_us);
	}
}

static void test_streams_that_cannot_be_had_together(void **state)
{
	(void)state;
	refuses(finish(FLAGS("-t", "--json")), "-t --json", ERR_INPUT,
		"@presentation_check --json ... -t");
	refuses(finish(FLAGS("-i", "--code=-")), "-i --code -", ERR_INPUT, "@finish_check_streams");
	accepts(finish(FLAGS("-i", "--code=./-")), "-i --code ./-");
	accepts(finish(FLAGS("--code=-", "--json")), "--code - --json");
	accepts(finish(FLAGS("-t", "--json=false")), "-t --json=false");
}

static void test_a_target_is_mounted_once(void **state)
{
	const char *const *const table[] = {
		FLAGS("-v", "/a:/x", "-v", "/b:/x"),
		FLAGS("-v", "/a:/x/", "--tmpfs", "//x/."),
		FLAGS("--workspace", "/a", "-v", "/b:/data"),
		FLAGS("--output", "/a", "-v", "/b:/output"),
		FLAGS("--output", "/a", "--output", "/b"),
		FLAGS("--mount", "type=tmpfs,dst=/t", "--tmpfs", "/t"),
		FLAGS("--tmpfs", "/dev/shm", "--tmpfs", "/dev/shm"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		refuses(finish(table[i]), table[i][1], ERR_INPUT,
			"@finish_check_duplicates#Duplicate");
	accepts(finish(FLAGS("-v", "/a:/x", "-v", "/a:/y", "-v", "/a:/x/y", "-v", "/a:/xx")),
		"four");
}

static void test_code_owns_its_directory(void **state)
{
	(void)state;
	refuses(finish(FLAGS("--code=f", "-v", "/a:/code")), "/code", ERR_INPUT,
		"@finish_check_duplicates#--code /code");
	refuses(finish(FLAGS("--code=f", "--tmpfs", "/code/x")), "/code/x", ERR_INPUT, "/code");
	refuses(finish(FLAGS("-v", "/a:/code/script.py:ro", "--code=f")), "order", ERR_INPUT,
		"/code");
	accepts(finish(FLAGS("--code=f", "-v", "/a:/coder", "-v", "/a:/x/code")), "/coder");
	accepts(finish(FLAGS("-v", "/a:/code/script.py:ro")), "without --code");
}

static void test_parents_come_before_what_is_below(void **state)
{
	static const char *const targets[] = {"/a/b/c", "/z",   "/a",    "/a/b",
					      "/a-b",   "/a.b", "/tmp/x"};
	const char *argv[2 * COUNT(targets) + 1] = {0};
	char volumes[COUNT(targets)][32];

	(void)state;
	for (size_t i = 0; i < COUNT(targets); i++) {
		snprintf(volumes[i], sizeof(volumes[i]), "/s:%s", targets[i]);
		argv[2 * i] = "-v";
		argv[2 * i + 1] = volumes[i];
	}
	accepts(finish(argv), "order");
	assert_int_equal(spec.mount_count, COUNT(targets) + 2);
	for (size_t i = 0; i < spec.mount_count; i++) {
		for (size_t j = 0; j < i; j++) {
			const char *above = spec.mounts[i].target;
			const char *below = spec.mounts[j].target;

			/* Nothing that came earlier may lie below. */
			if (!strncmp(below, above, strlen(above)))
				assert_int_not_equal(below[strlen(above)], '/');
		}
	}
}

static void test_many_mounts(void **state)
{
	size_t count = 2000;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		char text[64];

		snprintf(text, sizeof(text), "/s:/m/%zu", (i * 7919) % count);
		accepts(mount_flag_volume(&spec, text, &e), text);
	}
	accepts(spec_finish(&spec, &e), "many");
	assert_int_equal(spec.mount_count, count + 2);
	for (size_t i = 1; i < spec.mount_count; i++)
		assert_true(strcmp(spec.mounts[i - 1].target, spec.mounts[i].target) < 0);
}

/* Nobody gave a size: half of the memory, and a gigabyte where that is more or unlimited. */
static void test_a_writable_root_is_at_most_half_of_the_memory(void **state)
{
	(void)state;
	accepts(finish(FLAGS("--writable")), "alone");
	assert_true(spec.writable);
	assert_int_equal(spec.writable_bytes, 256 << 20);
	accepts(finish(FLAGS("--writable", "--memory", "100m")), "100m");
	assert_int_equal(spec.writable_bytes, 50 << 20);
	accepts(finish(FLAGS("--writable", "--memory", "0")), "0");
	assert_int_equal(spec.writable_bytes, 1 << 30);
	accepts(finish(FLAGS("--writable=3g", "--memory", "1g")), "3g");
	assert_int_equal(spec.writable_bytes, 3ull << 30);
	accepts(finish(FLAGS("--writable=3g", "--writable")), "the last one counts");
	assert_int_equal(spec.writable_bytes, 256 << 20);
	accepts(finish(FLAGS("--writable", "--writable=false")), "false");
	assert_false(spec.writable);
	accepts(finish(FLAGS("--read-only", "--writable=false")), "both say read-only");
	refuses(finish(FLAGS("--read-only", "--writable")), "both", ERR_INPUT, "conflicts");
}

static void test_grace_behind_the_deadline(void **state)
{
	(void)state;
	accepts(finish(FLAGS("--timeout=1s")), "default");
	assert_int_equal(spec.deadline_grace_ms, 500);
	accepts(finish(FLAGS("--timeout=1s", "--stop-timeout=2s")), "given");
	assert_int_equal(spec.deadline_grace_ms, 2000);
	accepts(finish(FLAGS("--timeout=1s", "--stop-timeout=0")), "none");
	assert_int_equal(spec.deadline_grace_ms, 0);
	spec_fini(&spec);
	spec_init(&spec);
	spec.is_docker = true;
	accepts(spec_finish(&spec, &e), "docker");
	assert_int_equal(spec.deadline_grace_ms, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_spec, end_spec)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_defaults_without_flags),
		TEST(test_grace_behind_the_deadline),
		TEST(test_own_tmp_replaces_the_default),
		TEST(test_swap_is_what_memory_swap_is_beyond_memory),
		TEST(test_memory_swap_zero_is_unset),
		TEST(test_cpus_and_quota_conflict),
		TEST(test_more_cpus_than_there_are_are_refused_as_docker_does),
		TEST(test_cpus_zero_does_not_undo_a_quota),
		TEST(test_period_alone_does_not_loosen_the_limit),
		TEST(test_streams_that_cannot_be_had_together),
		TEST(test_a_target_is_mounted_once),
		TEST(test_code_owns_its_directory),
		TEST(test_parents_come_before_what_is_below),
		TEST(test_many_mounts),
		TEST(test_a_writable_root_is_at_most_half_of_the_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
