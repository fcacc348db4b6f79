/*
 * test_limit_flags - which values each limit accepts, and what they become.
 */
#include "unit.h"

#include "spec/limit_flags.h"
#include "spec/run_settings.h"

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

struct number {
	const char *text;
	uint64_t value;
};

static int apply(const char *name, const char *value)
{
	const struct settings settings = {
		.face = FACE_RUN, .tables = {run_settings_table(&spec)}, .keeper = &spec};

	return setting_apply(&settings, setting_find(&settings, name, strlen(name)), value, &e);
}

static void each_becomes(const char *name, const uint64_t *field, const struct number *table,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		accepts(apply(name, table[i].text), table[i].text);
		assert_int_equal(*field, table[i].value);
	}
}

static void each_is_refused(const char *name, const uint64_t *field, const char *const *table,
			    size_t count)
{
	uint64_t before = *field;

	for (size_t i = 0; i < count; i++) {
		refuses(apply(name, table[i]), table[i], ERR_INPUT, table[i]);
		assert_int_equal(*field, before);
	}
}

#define BECOMES(name, field, ...)                                                                  \
	do {                                                                                       \
		static const struct number good[] = {__VA_ARGS__};                                 \
		each_becomes(name, &spec.field, good, COUNT(good));                                \
	} while (0)
#define REFUSED(name, field, ...)                                                                  \
	do {                                                                                       \
		static const char *const bad[] = {__VA_ARGS__};                                    \
		each_is_refused(name, &spec.field, bad, COUNT(bad));                               \
	} while (0)

static void test_defaults_are_the_hardened_set(void **state)
{
	const struct limits *l = &spec.limits;

	(void)state;
	assert_int_equal(l->memory_bytes, 512 << 20);
	assert_int_equal(l->swap_bytes, 0);
	assert_int_equal(l->pids, 64);
	assert_int_equal(l->cpu_quota_us, l->cpu_period_us);
	assert_int_equal(l->shm_bytes, 64 << 20);
	assert_int_equal(l->output_bytes, 64 << 20);
	assert_int_equal(l->wall_time_ms, SPEC_UNLIMITED);
	assert_true(spec.rlimits[RLIMIT_CORE].set);
	assert_int_equal(spec.rlimits[RLIMIT_CORE].value.rlim_max, SPEC_NO_CORE);
	assert_true(spec.rlimits[RLIMIT_SIGPENDING].set);
	assert_true(spec.rlimits[RLIMIT_NOFILE].set);
	assert_int_equal(spec.seccomp, SECCOMP_SHIPPED);
}

static void test_memory(void **state)
{
	(void)state;
	BECOMES("memory", limits.memory_bytes, {"6m", 6 << 20}, {"512m", 512 << 20},
		{"1.5g", 1610612736}, {"6291456", 6291456}, {"0", SPEC_UNLIMITED},
		{"1024t", 1ull << 50});
	REFUSED("memory", limits.memory_bytes, "", "-1", "5m", "6291455", "1", "1025t", "half",
		"512 m b");
}

static void test_memory_too_small_to_count_is_not_unlimited(void **state)
{
	(void)state;
	REFUSED("memory", limits.memory_bytes, "0.5", "0.0001m");
}

static void test_memory_swap(void **state)
{
	(void)state;
	BECOMES("memory-swap", asked.swap_total_bytes, {"1g", 1 << 30}, {"-1", SPEC_UNLIMITED});
	REFUSED("memory-swap", asked.swap_total_bytes, "-2", "x", "", "1025t");
}

static void test_cpus(void **state)
{
	(void)state;
	BECOMES("cpus", asked.cpus_milli, {"1", 1000}, {"1.0", 1000}, {"0.5", 500}, {"2.25", 2250},
		{"0.01", 10}, {"1024", 1024000}, {"0", SPEC_UNLIMITED});
	REFUSED("cpus", asked.cpus_milli, "-1", "", "one", "0.009", "1025", "1,5", "1e1");
}

static void test_cpus_without_a_leading_zero(void **state)
{
	(void)state;
	BECOMES("cpus", asked.cpus_milli, {".5", 500}); /* as in Docker's own manual */
}

static void test_cpus_too_small_to_count_is_not_unlimited(void **state)
{
	(void)state;
	REFUSED("cpus", asked.cpus_milli, "0.0001", "0.0009999");
}

static void test_cpu_period_and_quota(void **state)
{
	(void)state;
	BECOMES("cpu-period", limits.cpu_period_us, {"1000", 1000}, {"50000", 50000},
		{"1000000", 1000000});
	REFUSED("cpu-period", limits.cpu_period_us, "999", "1000001", "0", "-1", "50ms", "");
	BECOMES("cpu-quota", limits.cpu_quota_us, {"1000", 1000}, {"25000", 25000},
		{"0", SPEC_UNLIMITED}, {"-1", SPEC_UNLIMITED});
	REFUSED("cpu-quota", limits.cpu_quota_us, "999", "1", "-2", "x", "1099511627777");
}

static void test_cpuset_is_the_kernels_list_format(void **state)
{
	static const char *const good[] = {"0", "0-2", "0-2,4", "1,3,5", "8191", "0-8191", "3-3"};
	static const char *const bad[] = {"",   ",",   "0,",  ",0",  "0,,1",  "-",       "0-",
					  "-1", "2-1", "a",   "0-a", "0-1-2", "8192",    "0-8192",
					  " 0", "0 ",  "0;1", "0x1", "all",   "0-2:1/2", "0\n1"};

	(void)state;
	assert_null(spec.limits.cpuset);
	for (size_t i = 0; i < COUNT(good); i++) {
		accepts(limit_flag_cpuset(&spec, good[i], &e), good[i]);
		assert_string_equal(spec.limits.cpuset, good[i]);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		refuses(limit_flag_cpuset(&spec, bad[i], &e), bad[i], ERR_INPUT,
			"@limit_flag_cpuset");
		assert_string_equal(spec.limits.cpuset, "3-3");
	}
}

static void test_pids(void **state)
{
	(void)state;
	BECOMES("pids-limit", limits.pids, {"2", 2}, {"64", 64}, {"4194304", 4194304},
		{"0", SPEC_UNLIMITED}, {"-1", SPEC_UNLIMITED});
	REFUSED("pids-limit", limits.pids, "", "1", "-2", "4194305", "1.5", "64k", "many");
}

static void test_times(void **state)
{
	(void)state;
	BECOMES("timeout", limits.wall_time_ms, {"30", 30000}, {"1.5m", 90000}, {"1ms", 1},
		{"8784h", 366ull * 24 * 3600 * 1000});
	REFUSED("timeout", limits.wall_time_ms, "0", "0.5ms", "-1", "", "8785h", "soon", "1d");
	BECOMES("cpu-time", limits.cpu_time_ms, {"2", 2000}, {"100ms", 100});
	REFUSED("cpu-time", limits.cpu_time_ms, "0", "", "x");
}

static void test_output_limit_and_shm_size(void **state)
{
	(void)state;
	BECOMES("output-limit", limits.output_bytes, {"0", SPEC_UNLIMITED}, {"1k", 1024},
		{"1024t", 1ull << 50});
	REFUSED("output-limit", limits.output_bytes, "-1", "", "1025t");
	BECOMES("shm-size", limits.shm_bytes, {"4096", 4096}, {"64m", 64 << 20});
	/* size=0 would be a tmpfs without limit (tmpfs(5)). */
	REFUSED("shm-size", limits.shm_bytes, "0", "4095", "-1", "");
}

static void test_ulimit_every_name(void **state)
{
	static const struct {
		const char *name;
		int resource;
	} table[] = {
		{"core",       RLIMIT_CORE      },
		{"cpu",        RLIMIT_CPU       },
		{"data",       RLIMIT_DATA      },
		{"fsize",      RLIMIT_FSIZE     },
		{"locks",      RLIMIT_LOCKS     },
		{"memlock",    RLIMIT_MEMLOCK   },
		{"msgqueue",   RLIMIT_MSGQUEUE  },
		{"nice",       RLIMIT_NICE      },
		{"nofile",     RLIMIT_NOFILE    },
		{"nproc",      RLIMIT_NPROC     },
		{"rss",        RLIMIT_RSS       },
		{"rtprio",     RLIMIT_RTPRIO    },
		{"rttime",     RLIMIT_RTTIME    },
		{"stack",      RLIMIT_STACK     },
		{"as",         RLIMIT_AS        },
		{"sigpending", RLIMIT_SIGPENDING},
	};

	(void)state;
	assert_int_equal(COUNT(table), RLIM_NLIMITS);
	for (size_t i = 0; i < COUNT(table); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s=%zu:%zu", table[i].name, i + 1, i + 100);
		accepts(limit_flag_ulimit(&spec, text, &e), text);
	}
	for (size_t i = 0; i < COUNT(table); i++) {
		const struct rlimit_spec *r = &spec.rlimits[table[i].resource];

		assert_true(r->set);
		assert_int_equal(r->value.rlim_cur, i + 1);
		assert_int_equal(r->value.rlim_max, i + 100);
	}
}

static void test_ulimit_values(void **state)
{
	static const struct {
		const char *text;
		rlim_t soft;
		rlim_t hard;
	} table[] = {
		{"nofile=7",            7,             7            },
		{"nofile=0",            0,             0            },
		{"nofile=7:9",          7,             9            },
		{"nofile=7:-1",         7,             RLIM_INFINITY},
		{"nofile=unlimited",    RLIM_INFINITY, RLIM_INFINITY},
		{"nofile=-1:unlimited", RLIM_INFINITY, RLIM_INFINITY},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		accepts(limit_flag_ulimit(&spec, table[i].text, &e), table[i].text);
		assert_int_equal(spec.rlimits[RLIMIT_NOFILE].value.rlim_cur, table[i].soft);
		assert_int_equal(spec.rlimits[RLIMIT_NOFILE].value.rlim_max, table[i].hard);
	}
}

static void test_ulimit_garbage_is_refused(void **state)
{
	static const char *const table[] = {
		"",
		"nofile",
		"nofile=",
		"nofile=:",
		"nofile=1:",
		"nofile=:1",
		"=1",
		"files=1",
		"NOFILE=1",
		"nofile =1",
		"nofile=1k",
		"nofile=-2",
		"nofile=9:7",
		"nofile=-1:7",
		"nofile=1:2:3",
		"nofile=1.5",
		"nofile=9223372036854775808",
	};

	(void)state;
	spec.rlimits[RLIMIT_NOFILE] = (struct rlimit_spec){
		.set = true, .value = {5, 6}
        };
	for (size_t i = 0; i < COUNT(table); i++) {
		refuses(limit_flag_ulimit(&spec, table[i], &e), table[i], ERR_INPUT, "");
		assert_int_equal(spec.rlimits[RLIMIT_NOFILE].value.rlim_cur, 5);
		assert_int_equal(spec.rlimits[RLIMIT_NOFILE].value.rlim_max, 6);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_spec, end_spec)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_defaults_are_the_hardened_set),
		TEST(test_memory),
		TEST(test_memory_too_small_to_count_is_not_unlimited),
		TEST(test_memory_swap),
		TEST(test_cpus),
		TEST(test_cpus_without_a_leading_zero),
		TEST(test_cpus_too_small_to_count_is_not_unlimited),
		TEST(test_cpu_period_and_quota),
		TEST(test_cpuset_is_the_kernels_list_format),
		TEST(test_pids),
		TEST(test_times),
		TEST(test_output_limit_and_shm_size),
		TEST(test_ulimit_every_name),
		TEST(test_ulimit_values),
		TEST(test_ulimit_garbage_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
