/*
 * test_policy_file - what one file of ceilings bounds besides limits, and who may write it.
 */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/own.h"
#include "spec/egress_flags.h"
#include "spec/mount_flags.h"
#include "spec/policy.h"
#include "spec/program_flags.h"

static struct sandbox_spec spec;
static struct err e;
static int base;

static int begin(void **state)
{
	(void)state;
	base = unit_enter();
	spec_init(&spec);
	return 0;
}

static int end(void **state)
{
	(void)state;
	unsetenv(POLICY_VARIABLE);
	spec_fini(&spec);
	unit_leave(base);
	return 0;
}

/* Have the caller's file say this. */
static void say(const char *text)
{
	auto_free char *path = own_printf("%s/ceiling", unit_directory);

	(void)unlinkat(base, "ceiling", 0);
	unit_write(base, "ceiling", text, strlen(text));
	assert_int_equal(fchmodat(base, "ceiling", 0644, 0), 0);
	setenv(POLICY_VARIABLE, path, 1);
}

static int apply(void)
{
	return policy_apply_to_spec(&spec, &e);
}

static void again(void)
{
	spec_fini(&spec);
	spec_init(&spec);
}

static void test_what_a_file_does_not_say_it_does_not_bound(void **state)
{
	(void)state;
	say("{}");
	assert_int_equal(mount_flag_volume(&spec, "/etc:/x", &e), 0);
	assert_int_equal(egress_flag_list(&spec, "a.example.org", &e), 0);
	assert_int_equal(egress_flag_publish(&spec, "80", &e), 0);
	assert_int_equal(apply(), 0);
	assert_null(spec.mounts[0].bounds);
	assert_null(spec.sandboxes_bound);
}

static void test_invalid_files_are_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} bad[] = {
		{"",				 "JSON"                          },
		{"{\"mounts\": [\"srv\"]}",          "absolute"                      },
		{"{\"mounts\": 1}",                  "\"mounts\""                    },
		{"{\"mounts\": [[]]}",               "\"mounts\""                    },
		{"{\"mounts\": null}",               "\"mounts\""                    },
		{"{\"mounts\": [], \"mounts\": []}", "twice"                         },
		{"{\"egress\": [\"pypi\"]}",         "not one host"                  },
		{"{\"egress\": [\"none\"]}",         "not one host"                  },
		{"{\"egress\": [\"a.org,b.org\"]}",  "not one host"                  },
		{"{\"egress\": [\"localhost\"]}",    "\"egress\""                    },
		{"{\"egress\": {}}",                 "\"egress\""                    },
		{"{\"publish\": \"some\"}",          "\"publish\""                   },
		{"{\"sandboxes\": -1}",              "\"sandboxes\""                 },
		{"{\"sandboxes\": 1.5}",             "\"sandboxes\""                 },
		{"{\"limits\": {\"sandboxes\": 1}}", "no option \"limits.sandboxes\""},
		{"{\"Mounts\": []}",                 "no option"                     },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		say(bad[i].text);
		refuses(apply(), bad[i].text, ERR_INPUT, bad[i].words);
		assert_non_null(strstr(e.text, unit_directory));
	}
}

static void test_a_file_is_the_users_or_roots_alone(void **state)
{
	(void)state;
	say("{}");
	assert_int_equal(fchmodat(base, "ceiling", 0664, 0), 0);
	refuses(apply(), "group", ERR_INPUT, "chmod go-w");
	assert_int_equal(unlinkat(base, "ceiling", 0), 0);
	refuses(apply(), "missing", ERR_SYSTEM, "open it");
	assert_int_equal(symlinkat("/dev/null", base, "ceiling"), 0);
	refuses(apply(), "link", ERR_INPUT, "link");
	assert_int_equal(unlinkat(base, "ceiling", 0), 0);
	assert_int_equal(mkdirat(base, "ceiling", 0755), 0);
	refuses(apply(), "directory", ERR_INPUT, "a file");
	setenv(POLICY_VARIABLE, "ceiling", 1);
	refuses(apply(), "relative", ERR_INPUT, "absolute");
	setenv(POLICY_VARIABLE, "", 1);
	refuses(apply(), "empty", ERR_INPUT, "absolute");
	assert_int_equal(unlinkat(base, "ceiling", AT_REMOVEDIR), 0);
	if (geteuid())
		return;
	say("{}");
	assert_int_equal(fchownat(base, "ceiling", 1234, 0, 0), 0);
	refuses(apply(), "owner", ERR_INPUT, "1234");
}

static void test_sources_that_a_user_names_are_bound(void **state)
{
	(void)state;
	say("{\"mounts\": [\"/srv/data\", \"/home\"]}");
	setenv("XDG_STATE_HOME", unit_directory, 1);
	assert_int_equal(mount_flag_volume(&spec, "/etc:/x", &e), 0);
	assert_int_equal(mount_flag_volume(&spec, "named:/y", &e), 0);
	assert_int_equal(mount_flag_tmpfs(&spec, "/z", &e), 0);
	assert_int_equal(mount_flag_workspace(&spec, "/etc", &e), 0);
	assert_int_equal(mount_flag_output(&spec, "/etc", &e), 0);
	assert_int_equal(apply(), 0);
	for (size_t i = 0; i < spec.mount_count; i++) {
		const bool bound = i != 1 && i != 2;

		assert_int_equal(spec.mounts[i].bounds != NULL, bound);
	}
	assert_int_equal(spec.mounts[0].bounds->places.count, 2);
	assert_string_equal(spec.mounts[0].bounds->places.items[1], "/home");
	assert_null(spec.mounts[0].bounds[1].file);
	assert_int_equal(apply(), 0); /* twice changes nothing */
	assert_int_equal(spec.mounts[0].bounds->places.count, 2);
}

static void test_an_empty_list_of_directories_bounds(void **state)
{
	(void)state;
	say("{\"mounts\": []}");
	assert_int_equal(mount_flag_volume(&spec, "/etc:/x", &e), 0);
	assert_int_equal(apply(), 0);
	assert_non_null(spec.mounts[0].bounds);
	assert_int_equal(spec.mounts[0].bounds->places.count, 0);
}

static void test_what_is_reached_is_within_the_list(void **state)
{
	static const struct {
		const char *list;
		bool within;
	} cases[] = {
		{"none",                       true },
		{"a.example.org",              true },
		{"*.a.example.org",            true },
		{"*.example.org",              true },
		{"a.b.example.org:443",        true },
		{"example.org",                false},
		{"aexample.org",               false},
		{"*.org",                      false},
		{"a.example.org:8080",         false},
		{"a.example.org:443:raw",      false},
		{"pypi.org:443",               true },
		{"pypi.org",                   false},
		{"*.pypi.org:443",             false},
		{"db.example.net:5432",        true },
		{"db.example.net:5432:tls",    true },
		{"192.0.2.7:22",               true },
		{"192.0.2.0/25:22",            true },
		{"192.0.2.0/23:22",            false},
		{"198.51.100.1:22",            false},
		{"[2001:db8::1]:22",           false},
		{"pypi.org:443,evil.test:443", false},
	};

	(void)state;
	say("{\"egress\": [\"*.example.org\", \"pypi.org:443\", \"db.example.net:5432:raw\", "
	    "\"192.0.2.0/24:22\"]}");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		again();
		assert_int_equal(egress_flag_list(&spec, cases[i].list, &e), 0);
		if (!cases[i].within)
			refuses(apply(), cases[i].list, ERR_LIMIT, "--egress");
		else if (apply())
			fail_msg("%s: %s", cases[i].list, e.text);
	}
}

static void test_ways_around_the_list_are_refused(void **state)
{
	(void)state;
	say("{\"egress\": [\"*.example.org\", \"10.0.0.0/8\"]}");
	assert_int_equal(egress_flag_host(&spec, "80", &e), 0);
	refuses(apply(), "allow-host", ERR_LIMIT, "--allow-host: 80");
	again();
	assert_int_equal(egress_flag_list(&spec, "a.example.org", &e), 0);
	spec.egress.proxy = "http://192.0.2.1:3128";
	refuses(apply(), "proxy", ERR_LIMIT, "--egress-proxy");
	again();
	assert_int_equal(egress_flag_list(&spec, "a.example.org,10.1.2.3", &e), 0);
	assert_int_equal(egress_flag_private(&spec, "10.1.2.3", &e), 0);
	assert_int_equal(apply(), 0);
	assert_int_equal(egress_flag_private(&spec, "a.example.org", &e), 0);
	refuses(apply(), "private", ERR_LIMIT, "--allow-private: a.example.org");
	again();
	say("{\"egress\": []}");
	assert_int_equal(apply(), 0);
	assert_int_equal(egress_flag_list(&spec, "a.example.org", &e), 0);
	refuses(apply(), "nothing", ERR_LIMIT, "--egress");
}

static void test_published_ports_can_be_off(void **state)
{
	(void)state;
	say("{\"publish\": false}");
	assert_int_equal(apply(), 0);
	assert_int_equal(egress_flag_publish(&spec, "80", &e), 0);
	refuses(apply(), "off", ERR_LIMIT, "--publish");
	say("{\"publish\": true, \"sandboxes\": 3}");
	assert_int_equal(apply(), 0);
	assert_int_equal(spec.most_sandboxes, 3);
	assert_non_null(spec.sandboxes_bound);
}

static void test_limits_hold_as_well(void **state)
{
	(void)state;
	say("{\"limits\": {\"memory\": \"64m\"}}");
	assert_int_equal(apply(), 0);
	assert_int_equal(spec.limits.memory_bytes, 64 << 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_what_a_file_does_not_say_it_does_not_bound),
		TEST(test_invalid_files_are_refused),
		TEST(test_a_file_is_the_users_or_roots_alone),
		TEST(test_sources_that_a_user_names_are_bound),
		TEST(test_an_empty_list_of_directories_bounds),
		TEST(test_what_is_reached_is_within_the_list),
		TEST(test_ways_around_the_list_are_refused),
		TEST(test_published_ports_can_be_off),
		TEST(test_limits_hold_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
