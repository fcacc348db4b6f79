/*
 * test_options - the values of the agent's options, which come from four sources.
 */
#include "unit.h"

#include "agent/options.h"
#include "netpolicy/egress_words.h"
#include "spec/egress_list.h"

static const char *const variables[] = {"GLOVEBOX_AGENT_MODEL",     "GLOVEBOX_AGENT_NUM_CTX",
					"GLOVEBOX_AGENT_MEMORY",    "OLLAMA_HOST",
					"GLOVEBOX_AGENT_URL",       "GLOVEBOX_AGENT_THINK",
					"GLOVEBOX_AGENT_WORKSPACE", "GLOVEBOX_AGENT_CPU_TIME"};

static int at;

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(variables); i++)
		unsetenv(variables[i]);
	at = unit_enter();
	setenv("XDG_CONFIG_HOME", unit_directory, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_leave(at);
	return 0;
}

static void write_file(const char *text)
{
	assert_int_equal(mkdirat(at, "glovebox", 0700), 0);
	unit_write(at, "glovebox/agent.json", text, strlen(text));
}

static int read_line(const char *line, struct agent_options *o, struct err *e)
{
	static char text[512];
	static char *argv[32];
	int argc = 1;

	snprintf(text, sizeof(text), "%s", line);
	argv[0] = (char *)"agent";
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return agent_options_read(argc, argv, o, e);
}

static void test_defaults(void **state)
{
	struct agent_options o;
	struct err e;

	(void)state;
	accepts(read_line("", &o, &e), "nothing");
	assert_string_equal(o.model, "code-interpreter");
	assert_null(o.url);
	assert_null(o.task);
	assert_int_equal(o.iterations, 6);
	assert_int_equal(o.timeout_ms, 30000);
	assert_int_equal(o.deadline_ms, 0);
	assert_int_equal(o.num_ctx, 8192);
	assert_int_equal(o.temperature_milli, 200);
	assert_int_equal(o.seed, -1);
	assert_int_equal(o.think, CHAT_THINK_UNSET);
	assert_int_equal(o.state, STATE_SESSION);
	assert_true(o.stream);
	assert_false(o.workspace_given);
	assert_string_equal(o.workspace, "./workspace");
	assert_int_equal(o.limits.limits.memory_bytes, 512 << 20);
	agent_options_fini(&o);
}

static void test_flags_stand_before_and_after_the_task(void **state)
{
	struct agent_options o;
	struct err e;

	(void)state;
	accepts(read_line("--num-ctx 4096 draw a --state=fresh chart -n 3 -mllama3 --no-stream -v",
			  &o, &e),
		"mixed");
	assert_string_equal(o.task, "draw a chart");
	assert_string_equal(o.model, "llama3");
	assert_int_equal(o.num_ctx, 4096);
	assert_int_equal(o.state, STATE_FRESH);
	assert_int_equal(o.iterations, 3);
	assert_false(o.stream);
	assert_true(o.verbose);
	agent_options_fini(&o);
	accepts(read_line("-- --json --think", &o, &e), "after --");
	assert_string_equal(o.task, "--json --think");
	assert_false(o.json);
	agent_options_fini(&o);
}

static void test_think_may_stand_alone(void **state)
{
	struct agent_options o;
	struct err e;

	(void)state;
	accepts(read_line("--think what is 6*7", &o, &e), "--think");
	assert_int_equal(o.think, CHAT_THINK_ON);
	assert_string_equal(o.task, "what is 6*7");
	agent_options_fini(&o);
	accepts(read_line("--think", &o, &e), "--think");
	assert_int_equal(o.think, CHAT_THINK_ON);
	assert_null(o.task);
	agent_options_fini(&o);
}

static void test_think_takes_its_value_in_every_form(void **state)
{
	static const struct {
		const char *line;
		int think;
	} rows[] = {
		{"--think=off x",    CHAT_THINK_OFF  },
                {"--think off x",    CHAT_THINK_OFF  },
		{"--think on x",     CHAT_THINK_ON   },
                {"x --think auto",   CHAT_THINK_UNSET},
		{"--think false x",  CHAT_THINK_OFF  },
                {"--think=true x",   CHAT_THINK_ON   },
		{"--no-think x",     CHAT_THINK_OFF  },
                {"--think -- x",     CHAT_THINK_ON   },
		{"--think --json x", CHAT_THINK_ON   },
	};
	struct agent_options o;
	struct err e;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		accepts(read_line(rows[i].line, &o, &e), rows[i].line);
		assert_int_equal(o.think, rows[i].think);
		assert_string_equal(o.task, "x");
		agent_options_fini(&o);
	}
	setenv("GLOVEBOX_AGENT_THINK", "0", 1);
	accepts(read_line("", &o, &e), "variable");
	assert_int_equal(o.think, CHAT_THINK_OFF);
	agent_options_fini(&o);
	unsetenv("GLOVEBOX_AGENT_THINK");
	write_file("{\"think\": true}");
	accepts(read_line("", &o, &e), "file");
	assert_int_equal(o.think, CHAT_THINK_ON);
	agent_options_fini(&o);
}

static void test_an_empty_task_is_one(void **state)
{
	char *argv[] = {(char *)"agent", (char *)"", NULL};
	struct agent_options o;
	struct err e;

	(void)state;
	accepts(agent_options_read(2, argv, &o, &e), "empty");
	assert_string_equal(o.task, "");
	agent_options_fini(&o);
}

static void test_keep_alive_is_a_time(void **state)
{
	static const char *const good[] = {"5m",   "-1",  "0",   "3600", "1h30m",
					   "1.5h", "-1s", "24h", "500ms"};
	static const char *const bad[] = {"banana", "5m3", "m",  "1h-3m",
					  "5days",  "-",   "1.", "007x"};
	struct agent_options o;
	struct err e;
	char line[60];

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		snprintf(line, sizeof(line), "--keep-alive=%s", good[i]);
		accepts(read_line(line, &o, &e), line);
		assert_string_equal(o.keep_alive, good[i]);
		agent_options_fini(&o);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		snprintf(line, sizeof(line), "--keep-alive=%s", bad[i]);
		refuses(read_line(line, &o, &e), line, ERR_INPUT, "--keep-alive: \"");
		agent_options_fini(&o);
	}
}

static void test_a_wrong_limit_names_its_place(void **state)
{
	struct agent_options o;
	struct err e;

	(void)state;
	refuses(read_line("--memory=12x", &o, &e), "flag", ERR_INPUT, "--memory: \"12x\"");
	agent_options_fini(&o);
	setenv("GLOVEBOX_AGENT_MEMORY", "12x", 1);
	refuses(read_line("", &o, &e), "variable", ERR_INPUT, "GLOVEBOX_AGENT_MEMORY: \"12x\"");
	agent_options_fini(&o);
	unsetenv("GLOVEBOX_AGENT_MEMORY");
	write_file("{\"memory\": \"12x\"}");
	refuses(read_line("", &o, &e), "file", ERR_INPUT, "agent.json: \"memory\": \"12x\"");
	agent_options_fini(&o);
}

static void test_json_is_known_after_a_wrong_flag(void **state)
{
	static const char *const lines[] = {"--json --nope", "--nope --json",
					    "--timeout=x a --json"};
	struct agent_options o;
	struct err e;

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		assert_int_equal(read_line(lines[i], &o, &e), -1);
		assert_true(o.json);
		agent_options_fini(&o);
	}
	assert_int_equal(read_line("--nope -- --json", &o, &e), -1);
	assert_false(o.json);
	agent_options_fini(&o);
}

static void test_limits_of_run_are_passed_on(void **state)
{
	struct agent_options o;
	struct err e;

	(void)state;
	accepts(read_line("--memory 1g --cpus=2 --pids-limit 32", &o, &e), "limits");
	accepts(spec_finish(&o.limits, &e), "limits");
	assert_int_equal(o.limits.limits.memory_bytes, 1 << 30);
	assert_int_equal(o.limits.limits.cpu_quota_us, 200000);
	assert_int_equal(o.limits.limits.pids, 32);
	agent_options_fini(&o);
}

/* From a flag, a variable and the file; the agent's own sandboxes each have it. */
static void test_a_network_is_passed_on(void **state)
{
	auto_buf struct buf words = {0};
	struct agent_options o;
	struct sandbox_spec spec;
	struct err e;

	(void)state;
	write_file("{\"egress\": [\"pypi\", \"a.example:443\"], \"egress_connections\": 7}");
	accepts(read_line("--allow-host 11434 -p 8000", &o, &e), "network");
	spec_init(&spec);
	spec_copy_limits(&spec, &o.limits);
	accepts(spec_finish(&spec, &e), "network");
	assert_true(spec.egress.has_list);
	assert_int_equal(spec.egress.rule_count, 5);
	assert_int_equal(spec.egress.published_count, 1);
	assert_int_equal(spec.egress.connections, 7);
	assert_string_equal(egress_words(&spec.egress, &words),
			    "pypi.org, files.pythonhosted.org, a.example, host.glovebox.internal, "
			    "host.docker.internal");
	spec_fini(&spec);
	agent_options_fini(&o);
	refuses(read_line("--egress a.example:x", &o, &e), "port", ERR_INPUT,
		"@egress_host_port#of --egress ... a.example:x");
	agent_options_fini(&o);
}

/* A prompt is short, whatever the list. */
static void test_a_model_is_told_of_some_hosts(void **state)
{
	auto_buf struct buf words = {0};
	struct sandbox_spec spec;
	struct err e;

	(void)state;
	spec_init(&spec);
	for (int i = 0; i < 100; i++) {
		char name[64];

		snprintf(name, sizeof(name), "host-%d.example,host-%d.example:5432", i, i);
		accepts(egress_list_add(&spec, name, &e), name);
	}
	egress_words(&spec.egress, &words);
	assert_non_null(strstr(words.data, "host-0.example, host-1.example, "));
	assert_string_equal(words.data + words.length - 9, " and more");
	assert_in_range(words.length, 300, 400);
	spec_fini(&spec);
}

static void test_there_is_no_network_unless_somebody_names_it(void **state)
{
	auto_buf struct buf words = {0};
	struct agent_options o;
	struct err e;

	(void)state;
	accepts(read_line("", &o, &e), "nothing");
	assert_false(egress_is_wanted(&o.limits.egress));
	assert_null(egress_words(&o.limits.egress, &words));
	agent_options_fini(&o);
}

/* Of run's flags the agent has the limits and the network's; no other gives a sandbox more rights.
 */
static void test_other_flags_of_run_are_refused(void **state)
{
	static const char *const lines[] = {"--volume /:/x",
					    "--privileged",
					    "--env A=B",
					    "--security-opt seccomp=unconfined",
					    "--user root",
					    "--nonsense",
					    "-z",
					    "-vv",
					    "--mount type=bind"};
	struct agent_options o;
	struct err e;

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		refuses(read_line(lines[i], &o, &e), lines[i], ERR_INPUT,
			"@setting_words_unknown#3");
		agent_options_fini(&o);
	}
}

/* Nobody must believe that a limit holds which cells do not have. */
static void test_limits_that_no_cell_has_are_refused_by_name(void **state)
{
	static const char *const names[] = {"cpuset-cpus", "cpu-time", "ulimit"};
	struct agent_options o;
	struct err e;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		char line[64];

		snprintf(line, sizeof(line), "--%s=1", names[i]);
		refuses(read_line(line, &o, &e), line, ERR_INPUT, "@agent_settings_of#sandbox");
		assert_non_null(strstr(e.text, names[i]));
		agent_options_fini(&o);
	}
	write_file("{\"cpuset_cpus\": \"0\"}");
	refuses(read_line("", &o, &e), "file", ERR_INPUT,
		"@agent_settings_of#sandbox \"cpuset_cpus\"");
	agent_options_fini(&o);
	unit_write(at, "glovebox/agent.json", "{}", 2);
	setenv("GLOVEBOX_AGENT_CPU_TIME", "3s", 1);
	refuses(read_line("", &o, &e), "variable", ERR_INPUT,
		"@agent_settings_of#sandbox GLOVEBOX_AGENT_CPU_TIME");
	agent_options_fini(&o);
}

static void test_bad_values_name_their_flag(void **state)
{
	static const struct {
		const char *line;
		const char *text;
	} rows[] = {
		{"--iterations 21",  "--iterations"                       },
		{"--iterations 0",   "--iterations"                       },
		{"--iterations x",   "--iterations"                       },
		{"--api grpc",       "@setting_value_choice ollama|openai"},
		{"--mode=",          "--mode"                             },
		{"--temperature 9",  "--temperature"                      },
		{"--timeout 0",      "--timeout"                          },
		{"--model=",         "@setting_value_text"                },
		{"--model",          "@setting_words_apply_next"          },
		{"--memory",         "@setting_words_apply_next"          },
		{"--seed -2",        "--seed"                             },
		{"--stream=perhaps", "--stream"                           },
	};
	struct agent_options o;
	struct err e;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		refuses(read_line(rows[i].line, &o, &e), rows[i].line, ERR_INPUT, rows[i].text);
		agent_options_fini(&o);
	}
}

static void test_the_later_place_wins(void **state)
{
	struct agent_options o;
	struct err e;

	(void)state;
	write_file(
		"{\"model\": \"of-file\", \"num_ctx\": 1024, \"temperature\": 0.5,"
		" \"json\": true, \"memory\": \"1g\", \"url\": \"of-file\"}");
	accepts(read_line("", &o, &e), "file");
	assert_string_equal(o.model, "of-file");
	assert_int_equal(o.num_ctx, 1024);
	assert_int_equal(o.temperature_milli, 500);
	assert_true(o.json);
	assert_int_equal(o.limits.limits.memory_bytes, 1 << 30);
	agent_options_fini(&o);
	setenv("GLOVEBOX_AGENT_MODEL", "of-environment", 1);
	setenv("GLOVEBOX_AGENT_NUM_CTX", "2048", 1);
	setenv("GLOVEBOX_AGENT_MEMORY", "2g", 1);
	accepts(read_line("--model of-flag", &o, &e), "all");
	assert_string_equal(o.model, "of-flag");
	assert_int_equal(o.num_ctx, 2048);
	assert_int_equal(o.limits.limits.memory_bytes, 2ll << 30);
	agent_options_fini(&o);
}

static void test_ollama_host_is_the_weaker_variable(void **state)
{
	struct agent_options o;
	struct err e;

	(void)state;
	setenv("OLLAMA_HOST", "gpu-box", 1);
	accepts(read_line("", &o, &e), "OLLAMA_HOST");
	assert_string_equal(o.url, "gpu-box");
	agent_options_fini(&o);
	setenv("GLOVEBOX_AGENT_URL", "other", 1);
	accepts(read_line("", &o, &e), "both");
	assert_string_equal(o.url, "other");
	agent_options_fini(&o);
}

static void test_a_wrong_file_is_an_error_that_names_it(void **state)
{
	static const struct {
		const char *file;
		const char *text;
	} rows[] = {
		{"{\"model\": [1]}",       "@setting_json_apply#1 text"      },
		{"{\"modle\": \"x\"}",     "@setting_json_member#2 \"modle\""},
		{"[]",                     "@settings_from_json"             },
		{"{",		      "agent.json"                      },
		{"{\"iterations\": 2.5}",  "\"iterations\""                  },
		{"{\"volume\": \"/:/x\"}", "@setting_json_member#2"          },
	};
	struct agent_options o;
	struct err e;

	(void)state;
	write_file("{}");
	for (size_t i = 0; i < COUNT(rows); i++) {
		unit_write(at, "glovebox/agent.json", rows[i].file, strlen(rows[i].file));
		refuses(read_line("", &o, &e), rows[i].file, ERR_INPUT, rows[i].text);
		agent_options_fini(&o);
	}
}

static void test_a_workspace_that_was_asked_for_is_known(void **state)
{
	struct agent_options o;
	struct err e;

	(void)state;
	setenv("GLOVEBOX_AGENT_WORKSPACE", "/x", 1);
	accepts(read_line("", &o, &e), "variable");
	assert_true(o.workspace_given);
	agent_options_fini(&o);
}

/* Every row of the table appears in the help texts. */
static void test_texts_name_every_option(void **state)
{
	auto_buf struct buf help = {0};
	auto_buf struct buf man = {0};
	auto_buf struct buf words = {0};

	(void)state;
	agent_options_help(&help);
	agent_options_man(&man);
	agent_options_words(&words);
	for (const struct setting *row = agent_settings; row->name; row++) {
		assert_non_null(strstr(buf_string(&help), row->name));
		assert_non_null(strstr(buf_string(&man), row->help) || strchr(row->help, '-')
					? row->help
					: NULL);
		assert_non_null(strstr(buf_string(&words), row->name));
	}
	assert_non_null(strstr(buf_string(&help), "--memory SIZE"));
}

static void test_texts_name_what_is_read_beside_options(void **state)
{
	static const char *const words[] = {
		"OLLAMA_HOST",     "OLLAMA_API_KEY",   "OPENAI_API_KEY", "NO_COLOR",
		"XDG_CONFIG_HOME", "XDG_STATE_HOME",   "agent.json",     "agent\\-history",
		"\\-\\-url URL",   "\\-\\-from MODEL",
	};
	auto_buf struct buf help = {0};
	auto_buf struct buf man = {0};

	(void)state;
	agent_options_help(&help);
	agent_options_man(&man);
	for (size_t i = 0; i < COUNT(words); i++) {
		if (!strstr(buf_string(&man), words[i]))
			fail_msg("no %s in the manual page", words[i]);
	}
	assert_non_null(strstr(buf_string(&help), "OLLAMA_API_KEY"));
	assert_non_null(strstr(buf_string(&help), "125 nothing was started"));
	assert_non_null(strstr(buf_string(&man), "125: nothing was started"));
}

static void test_texts_name_no_limit_that_no_cell_has(void **state)
{
	static const char *const names[] = {"cpuset", "cpu-time", "cpu\\-time", "ulimit"};
	auto_buf struct buf texts = {0};

	(void)state;
	agent_options_help(&texts);
	agent_options_man(&texts);
	agent_options_words(&texts);
	for (size_t i = 0; i < COUNT(names); i++)
		assert_null(strstr(buf_string(&texts), names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
		cmocka_unit_test_setup_teardown(test_flags_stand_before_and_after_the_task, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_think_may_stand_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_think_takes_its_value_in_every_form, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_an_empty_task_is_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keep_alive_is_a_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_wrong_limit_names_its_place, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_json_is_known_after_a_wrong_flag, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_limits_of_run_are_passed_on, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_network_is_passed_on, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_model_is_told_of_some_hosts, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_there_is_no_network_unless_somebody_names_it,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_flags_of_run_are_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_limits_that_no_cell_has_are_refused_by_name,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_values_name_their_flag, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_later_place_wins, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ollama_host_is_the_weaker_variable, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_wrong_file_is_an_error_that_names_it, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_workspace_that_was_asked_for_is_known, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_texts_name_every_option, setup, teardown),
		cmocka_unit_test_setup_teardown(test_texts_name_what_is_read_beside_options, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_texts_name_no_limit_that_no_cell_has, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
