/*
 * test_setting_sources - the settings of a run as JSON, and the ceiling for them.
 */
#include "unit.h"

#include "base/io.h"
#include "spec/run_settings.h"
#include "spec/setting_ceiling.h"
#include "spec/setting_sources.h"

static struct sandbox_spec spec;
static struct sandbox_spec ceiling;
static struct err e;

static int new_specs(void **state)
{
	(void)state;
	spec_init(&spec);
	spec_init(&ceiling);
	return 0;
}

static int end_specs(void **state)
{
	(void)state;
	spec_fini(&spec);
	spec_fini(&ceiling);
	return 0;
}

static struct json *parse(const char *text)
{
	struct json *document = json_parse(text, strlen(text), &e);

	if (!document)
		fail_msg("%s: %s", text, e.text);
	return document;
}

static int read_asked(const char *text)
{
	const struct settings settings = settings_of_caller(&spec);
	auto_json struct json *document = parse(text);

	return settings_from_json(&settings, document, &e);
}

static int read_ceiling(const char *text)
{
	auto_json struct json *document = parse(text);

	return settings_read_ceiling(document, &ceiling, &e);
}

static void test_values_of_every_kind(void **state)
{
	(void)state;
	accepts(read_asked("{\"shm_size\": 8192, \"limits\": {"
			   "\"memory\": \"1g\", \"cpus\": 1.5, \"pids_limit\": 7, \"timeout\": 2.5,"
			   " \"output_limit\": \"1k\"}}"),
		"all");
	assert_int_equal(spec.limits.shm_bytes, 8192);
	assert_int_equal(spec.limits.memory_bytes, 1 << 30);
	assert_int_equal(spec.asked.cpus_milli, 1500);
	assert_int_equal(spec.limits.pids, 7);
	assert_int_equal(spec.limits.wall_time_ms, 2500);
	assert_int_equal(spec.limits.output_bytes, 1024);
	accepts(read_asked("{\"limits\": {\"memory\": 1099511627776, \"cpus\": 0}}"), "large");
	assert_int_equal(spec.limits.memory_bytes, 1ull << 40);
	assert_int_equal(spec.asked.cpus_milli, SPEC_UNLIMITED);
	accepts(spec_finish(&spec, &e), "finish");
	assert_int_equal(spec.limits.cpu_quota_us, SPEC_UNLIMITED);
	accepts(read_asked("{}"), "nothing");
}

static void test_what_is_wrong_is_named_with_its_path(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{"[]",				       "@settings_from_json"                     },
		{"{\"limits\": 3}",                          "@setting_json_member#must \"limits\""    },
		{"{\"limits\": {\"memory\": []}}",           "@setting_json_apply#1 \"limits.memory\"" },
		{"{\"limits\": {\"memory\": true}}",         "@setting_json_apply#1 \"limits.memory\"" },
		{"{\"limits\": {\"memory\": 1e400}}",        "@setting_json_apply#1 \"limits.memory\"" },
		{"{\"limits\": {\"pids_limit\": -1e400}}",
		 "@setting_json_apply#1 \"limits.pids_limit\""                                         },
		{"{\"limits\": {\"memory\": null}}",         "@setting_json_apply#1 \"limits.memory\"" },
		{"{\"limits\": {\"memory\": \"12x\"}}",
		 "@parse_size#unit \"limits.memory\" ... \"12x\""                                      },
		{"{\"limits\": {\"memory\": 5}}",
		 "@setting_value_counted#means \"limits.memory\" ... 5"                                },
		{"{\"limits\": {\"pids_limit\": 1.5}}",
		 "@parse_int#whole \"limits.pids_limit\" ... \"1.5\""                                  },
		{"{\"limits\": {\"timeout\": -1}}",          "\"limits.timeout\": \"-1\""              },
		{"{\"limits\": {\"modle\": 1}}",             "@setting_json_member#2 \"limits.modle\"" },
		{"{\"limits\": {\"limits\": {}}}",           "@setting_json_member#2 \"limits.limits\""},
		{"{\"limits\": {\"shm_size\": 8192}}",
		 "@setting_json_member#2 \"limits.shm_size\""                                          },
		{"{\"memory\": \"1g\"}",                     "@setting_json_member#2 \"memory\""       },
		{"{\"limits\": {\"pids-limit\": 5}}",
		 "@setting_json_member#underscores \"limits.pids-limit\""                              },
		{"{\"shm_size\": {}}",                       "@setting_json_text#number \"shm_size\""  },
		{"{\"shm_size\": 8192, \"shm_size\": 1}",    "@setting_json_check_once \"shm_size\""   },
		{"{\"limits\": {\"cpus\": 1, \"cpus\": 1}}", "@setting_json_check_once \"cpus\""       },
		{"{\"a\\u001b[31m\": 1}",                    "@setting_json_member#2"                  },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		refuses(read_asked(rows[i].text), rows[i].text, ERR_INPUT, rows[i].says);
}

/*
 * Such a caller has neither paths of the host, nor its environment, nor any setting that weakens a
 * wall.
 */
static void test_what_names_something_of_the_host_is_not_there(void **state)
{
	static const char *const names[] = {
		"volume",       "mount",      "workspace",    "output",        "code",
		"env",          "env_file",   "security_opt", "cidfile",       "result_file",
		"warm",         "privileged", "cap_add",      "name",          "network",
		"tmpfs",        "entrypoint", "hostname",     "user",          "workdir",
		"egress",       "publish",    "allow_host",   "allow_private", "egress_log",
		"egress_proxy",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		char text[64];

		snprintf(text, sizeof(text), "{\"%s\": \"x\"}", names[i]);
		refuses(read_asked(text), text, ERR_INPUT, "@setting_json_member#2");
	}
}

static void test_what_is_asked_beyond_the_ceiling_is_refused(void **state)
{
	(void)state;
	accepts(read_ceiling(
			"{\"limits\": {\"memory\": \"2g\", \"cpus\": 2, \"timeout\": \"1m\"}}"),
		"ceiling");
	accepts(read_asked("{\"limits\": {\"memory\": \"2g\", \"cpus\": 2, \"pids_limit\": 4000}}"),
		"at it");
	accepts(settings_check_ceiling(&spec, &ceiling, &e), "at it");
	assert_int_equal(spec.limits.pids, 4000);
	accepts(read_asked("{\"limits\": {\"memory\": \"4g\"}}"), "above");
	refuses(settings_check_ceiling(&spec, &ceiling, &e), "above", ERR_LIMIT,
		"@setting_ceiling_refuse \"limits.memory\" ... 4g ... 2g");
	accepts(read_asked("{\"limits\": {\"memory\": 0}}"), "no limit");
	refuses(settings_check_ceiling(&spec, &ceiling, &e), "no limit", ERR_LIMIT,
		"@setting_ceiling_refuse \"limits.memory\": no limit ... 2g");
	accepts(read_asked("{\"limits\": {\"memory\": \"8m\", \"timeout\": \"61s\"}}"), "time");
	refuses(settings_check_ceiling(&spec, &ceiling, &e), "time", ERR_LIMIT,
		"@setting_ceiling_refuse \"limits.timeout\" ... 61s ... 60s");
}

/* A caller cannot avoid the ceiling by not asking. */
static void test_defaults_are_lowered_to_the_ceiling(void **state)
{
	(void)state;
	accepts(read_ceiling("{\"limits\": {\"memory\": \"64m\", \"cpus\": 0.5, \"timeout\": 10}}"),
		"ceiling");
	accepts(settings_check_ceiling(&spec, &ceiling, &e), "defaults");
	accepts(spec_finish(&spec, &e), "finish");
	assert_int_equal(spec.limits.memory_bytes, 64 << 20);
	assert_int_equal(spec.limits.cpu_quota_us, 50000);
	assert_int_equal(spec.limits.wall_time_ms, 10000);
	assert_int_equal(spec.limits.pids, 64);
}

static void test_a_ceiling_of_what_has_none_is_an_error(void **state)
{
	(void)state;
	refuses(read_ceiling("{\"hostname\": \"x\"}"), "hostname", ERR_INPUT,
		"@setting_json_member#2 \"hostname\"");
	refuses(read_ceiling("{\"limits\": {\"memroy\": \"2g\"}}"), "memroy", ERR_INPUT,
		"\"limits.memroy\"");
}

/* The shipped file has a ceiling for each such row, and no default exceeds it. */
static void test_our_ceiling_is_complete(void **state)
{
	auto_buf struct buf text = {0};

	(void)state;
	accepts(io_read_file(AT_FDCWD, "policy/ceiling.json", 65536, &text, &e), "file");
	accepts(read_ceiling(buf_string(&text)), "policy/ceiling.json");
	for (const struct setting *row = run_settings; row->name; row++) {
		if (row->ceiling && !setting_given(run_settings, ceiling.given, row->name))
			fail_msg("--%s has no ceiling in policy/ceiling.json", row->name);
		if (row->ceiling && row->fallback &&
		    *(uint64_t *)((char *)&spec + row->at) >
			    *(uint64_t *)((char *)&ceiling + row->at))
			fail_msg("the default of --%s is above its ceiling", row->name);
	}
}

/*
 * Every numeric row that a caller may set has a ceiling. Every row with a ceiling is numeric and
 * available in warm cells, too, because a default that was lowered does not count as given.
 */
static void test_every_limit_of_a_caller_has_a_ceiling(void **state)
{
	(void)state;
	for (const struct setting *row = run_settings; row->name; row++) {
		bool counted = row->kind == SETTING_COUNT || row->kind == SETTING_BYTES ||
			       row->kind == SETTING_DURATION || row->kind == SETTING_MILLI;

		if (row->ceiling != (counted && row->faces & FACE_HTTP))
			fail_msg("--%s", row->name);
		if (row->ceiling && !(row->faces & FACE_CELL))
			fail_msg("--%s would be ignored in a cell", row->name);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_specs, end_specs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_values_of_every_kind),
		TEST(test_what_is_wrong_is_named_with_its_path),
		TEST(test_what_names_something_of_the_host_is_not_there),
		TEST(test_what_is_asked_beyond_the_ceiling_is_refused),
		TEST(test_defaults_are_lowered_to_the_ceiling),
		TEST(test_a_ceiling_of_what_has_none_is_an_error),
		TEST(test_our_ceiling_is_complete),
		TEST(test_every_limit_of_a_caller_has_a_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
