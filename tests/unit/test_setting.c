/*
 * test_setting - docker's flag grammar, and what must hold for every row of the table.
 */
#include "unit.h"

#include <ctype.h>

#include "spec/setting.h"

static struct sandbox_spec spec;
static struct err e;
static int used;

static int new_spec(void **state)
{
	(void)state;
	spec_init(&spec);
	used = -1;
	return 0;
}

static int end_spec(void **state)
{
	(void)state;
	spec_fini(&spec);
	return 0;
}

/* Up to eight words, NULL at the end. */
static int parse(const char *const *argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	e = (struct err){0};
	used = -1;
	return setting_parse(run_settings, argc, (char *const *)argv, &used, &spec, &e);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_value_follows_or_is_joined(void **state)
{
	const char *const *const table[] = {
		WORDS("--memory", "64m", "image"), WORDS("--memory=64m", "image", "x"),
		WORDS("-m", "64m", "image"),       WORDS("-m64m", "image", "x"),
		WORDS("-m=64m", "image", "x"),     WORDS("-im64m", "image", "x"),
	};
	static const int words[] = {2, 1, 2, 1, 1, 1};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		spec.limits.memory_bytes = 0;
		accepts(parse(table[i]), table[i][0]);
		assert_int_equal(spec.limits.memory_bytes, 64 << 20);
		assert_int_equal(used, words[i]);
	}
}

static void test_value_may_look_like_a_flag_or_be_empty(void **state)
{
	(void)state;
	accepts(parse(WORDS("--entrypoint", "--rm", "image")), "--entrypoint --rm");
	assert_string_equal(spec.entrypoint, "--rm");
	assert_false(spec.remove);
	assert_int_equal(used, 2);
	accepts(parse(WORDS("--entrypoint=", "image")), "--entrypoint=");
	assert_string_equal(spec.entrypoint, "");
	accepts(parse(WORDS("--entrypoint", "", "image")), "--entrypoint ''");
	assert_int_equal(used, 2);
	accepts(parse(WORDS("-e", "A=b=c", "--env=D=")), "env");
	assert_string_equal(spec.env.items[0], "A=b=c");
	assert_string_equal(spec.env.items[1], "D=");
}

static void test_letters_combine(void **state)
{
	(void)state;
	accepts(parse(WORDS("-itq", "image")), "-itq");
	assert_true(spec.interactive && spec.tty && spec.quiet);
	assert_int_equal(used, 1);
	refuses(parse(WORDS("-itwrong")), "-i -t -w rong", ERR_INPUT, "--workdir");
}

static void test_letters_combine_up_to_the_one_with_a_value(void **state)
{
	(void)state;
	accepts(parse(WORDS("-itw", "/code", "image")), "-itw /code");
	assert_true(spec.interactive && spec.tty);
	assert_string_equal(spec.workdir, "/code");
	assert_int_equal(used, 2);
	accepts(parse(WORDS("-qw/data", "image")), "-qw/data");
	assert_string_equal(spec.workdir, "/data");
	assert_int_equal(used, 1);
}

static void test_boolean_values(void **state)
{
	(void)state;
	accepts(parse(WORDS("--tty", "--tty=false", "--interactive=1")), "bool");
	assert_false(spec.tty);
	assert_true(spec.interactive);
	assert_int_equal(used, 3);
	accepts(parse(WORDS("-t=true", "-i=false")), "short bool");
	assert_true(spec.tty);
	assert_false(spec.interactive);
	refuses(parse(WORDS("--tty=maybe")), "--tty=maybe", ERR_INPUT, "--tty: \"maybe\"");
	/* A boolean takes no following word: `false` is the image. */
	accepts(parse(WORDS("--tty", "false")), "--tty false");
	assert_int_equal(used, 1);
}

static void test_parsing_stops_at_the_first_word(void **state)
{
	(void)state;
	accepts(parse(WORDS("--rm", "image", "--tty", "--unknown")), "image");
	assert_int_equal(used, 1);
	assert_false(spec.tty);
	accepts(parse(WORDS("image", "-m", "bad")), "image first");
	assert_int_equal(used, 0);
	accepts(parse(WORDS("-", "--tty")), "-");
	assert_int_equal(used, 0);
	accepts(parse(WORDS("", "--tty")), "empty word");
	assert_int_equal(used, 0);
	accepts(setting_parse(run_settings, 0, NULL, &used, &spec, &e), "nothing");
	assert_int_equal(used, 0);
	assert_false(spec.tty);
}

static void test_two_dashes_end_the_flags(void **state)
{
	(void)state;
	accepts(parse(WORDS("--rm", "--", "--tty")), "--");
	assert_int_equal(used, 2);
	assert_false(spec.tty);
	accepts(parse(WORDS("--")), "-- alone");
	assert_int_equal(used, 1);
}

static void test_unknown_flags_are_named(void **state)
{
	(void)state;
	refuses(parse(WORDS("--frobnicate", "x")), "unknown", ERR_INPUT,
		"unknown flag: --frobnicate");
	refuses(parse(WORDS("--frobnicate=7")), "unknown", ERR_INPUT, "unknown flag: --frobnicate");
	assert_null(strchr(e.text, '='));
	refuses(parse(WORDS("--memor=64m")), "prefix", ERR_INPUT, "unknown flag: --memor");
	refuses(parse(WORDS("--memoryy=64m")), "longer", ERR_INPUT, "unknown flag: --memoryy");
	refuses(parse(WORDS("--Memory=64m")), "case", ERR_INPUT, "unknown flag");
	refuses(parse(WORDS("---memory=64m")), "three dashes", ERR_INPUT, "unknown flag");
	refuses(parse(WORDS("--=x")), "no name", ERR_INPUT, "unknown flag");
	refuses(parse(WORDS("-Z")), "letter", ERR_INPUT, "unknown shorthand flag: 'Z'");
	refuses(parse(WORDS("-iZt")), "letter", ERR_INPUT, "unknown shorthand flag: 'Z' in -iZt");
	refuses(parse(WORDS("-=x")), "letter", ERR_INPUT, "unknown shorthand flag");
}

static void test_missing_arguments_are_named(void **state)
{
	(void)state;
	for (const struct setting *row = run_settings; row->name; row++) {
		char word[64];

		if (!row->arg)
			continue;
		snprintf(word, sizeof(word), "--%s", row->name);
		refuses(parse(WORDS("--rm", word)), word, ERR_INPUT, "needs an argument");
		assert_non_null(strstr(e.text, word));
		if (!row->letter)
			continue;
		snprintf(word, sizeof(word), "-i%c", row->letter);
		refuses(parse(WORDS(word)), word, ERR_INPUT, "needs an argument");
	}
}

static void test_every_refused_flag_says_why(void **state)
{
	(void)state;
	for (const struct setting *row = run_settings; row->name; row++) {
		char word[64];
		char letter[] = {'-', row->letter, '\0'};

		if (row->group != GROUP_REFUSED)
			continue;
		snprintf(word, sizeof(word), "--%s", row->name);
		refuses(parse(WORDS(word, "value", "image")), word, ERR_UNSUPPORTED, row->help);
		assert_memory_equal(e.text, word, strlen(word));
		if (row->letter)
			refuses(parse(WORDS(letter, "value")), letter, ERR_UNSUPPORTED, row->help);
		snprintf(word, sizeof(word), "--%s=%s", row->name, row->arg ? "false" : "true");
		refuses(parse(WORDS(word)), word, ERR_UNSUPPORTED, row->help);
		if (row->arg)
			continue;
		snprintf(word, sizeof(word), "--%s=false", row->name);
		accepts(parse(WORDS(word)), word);
	}
}

static void test_errors_of_a_value_name_the_flag(void **state)
{
	(void)state;
	for (const struct setting *row = run_settings; row->name; row++) {
		/* Wrong for all of them but free text, which takes it. */
		static const char bad[] = "\x01,=:/..";
		char word[64];

		if (row->group == GROUP_REFUSED)
			continue;
		snprintf(word, sizeof(word), "--%s", row->name);
		if (parse(row->arg ? WORDS(word, bad) : WORDS("--rm")))
			assert_memory_equal(e.text, word, strlen(word));
	}
}

static void test_ten_thousand_flags(void **state)
{
	int count = 10000;
	const char **argv = calloc((size_t)count + 1, sizeof(*argv));

	(void)state;
	for (int i = 0; i < count; i++)
		argv[i] = i % 2 ? "-eA=b" : "--label=x=y";
	argv[count] = "image";
	accepts(setting_parse(run_settings, count + 1, (char *const *)argv, &used, &spec, &e),
		"10000 flags");
	assert_int_equal(used, count);
	assert_int_equal(spec.env.count, count / 2);
	assert_int_equal(spec.labels.count, count / 2);
	assert_null(spec.env.items[count / 2]);
	free(argv);
}

static void test_a_megabyte_is_a_value_like_any_other(void **state)
{
	size_t length = 1 << 20;
	char *text = malloc(length + 1);

	(void)state;
	memset(text, 'x', length);
	text[length] = '\0';
	memcpy(text, "A=", 2);
	accepts(parse(WORDS("-e", text)), "-e");
	assert_int_equal(strlen(spec.env.items[0]), length);
	memcpy(text, "--", 2);
	refuses(parse(WORDS(text)), "a megabyte", ERR_INPUT, "unknown flag");
	memcpy(text, "-x", 2);
	refuses(parse(WORDS(text)), "a megabyte", ERR_INPUT, "unknown shorthand");
	free(text);
}

/* --- the table ------------------------------------------------------------ */

static void test_names_and_letters_are_unique(void **state)
{
	(void)state;
	for (const struct setting *row = run_settings; row->name; row++) {
		for (const struct setting *other = run_settings; other < row; other++) {
			assert_string_not_equal(row->name, other->name);
			if (row->letter)
				assert_int_not_equal(row->letter, other->letter);
		}
	}
}

static void test_names_are_spelled_as_flags_are(void **state)
{
	(void)state;
	for (const struct setting *row = run_settings; row->name; row++) {
		assert_true(islower((unsigned char)row->name[0]));
		assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz-"),
				 strlen(row->name));
		assert_true(!row->letter || isalpha((unsigned char)row->letter));
		assert_true(!row->arg || *row->arg);
	}
}

static void test_every_row_is_complete(void **state)
{
	(void)state;
	for (const struct setting *row = run_settings; row->name; row++) {
		if (!row->help || !*row->help || strchr(row->help, '\n'))
			fail_msg("--%s: no help, or more than a line", row->name);
		assert_in_range(row->group, 0, GROUP_COUNT - 1);
		/* Nothing is accepted and then ignored. */
		if (!row->apply != (row->group == GROUP_REFUSED))
			fail_msg("--%s: neither applied nor refused", row->name);
	}
	for (int group = 0; group < GROUP_COUNT; group++)
		assert_non_null(setting_group_titles[group]);
}

static void test_every_flag_of_the_reference_line_is_there(void **state)
{
	static const char *const names[] = {
		"rm",          "network",      "read-only",    "tmpfs",       "memory",
		"memory-swap", "cpus",         "cpu-period",   "cpu-quota",   "cpuset-cpus",
		"pids-limit",  "security-opt", "volume",       "mount",       "env",
		"env-file",    "workdir",      "user",         "entrypoint",  "interactive",
		"tty",         "init",         "stop-timeout", "stop-signal", "cap-drop",
		"ulimit",      "shm-size",     "name",         "hostname",    "cidfile",
		"label",       "pull",         "platform",     "quiet",       "timeout",
		"cpu-time",    "output-limit", "workspace",    "output",      "code",
		"json",        "result-file",  "explain",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct setting *row = run_settings;

		while (row->name && strcmp(row->name, names[i]))
			row++;
		if (!row->name || row->group == GROUP_REFUSED)
			fail_msg("--%s is not supported", names[i]);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_spec, end_spec)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_value_follows_or_is_joined),
		TEST(test_value_may_look_like_a_flag_or_be_empty),
		TEST(test_letters_combine),
		TEST(test_letters_combine_up_to_the_one_with_a_value),
		TEST(test_boolean_values),
		TEST(test_parsing_stops_at_the_first_word),
		TEST(test_two_dashes_end_the_flags),
		TEST(test_unknown_flags_are_named),
		TEST(test_missing_arguments_are_named),
		TEST(test_every_refused_flag_says_why),
		TEST(test_errors_of_a_value_name_the_flag),
		TEST(test_ten_thousand_flags),
		TEST(test_a_megabyte_is_a_value_like_any_other),
		TEST(test_names_and_letters_are_unique),
		TEST(test_names_are_spelled_as_flags_are),
		TEST(test_every_row_is_complete),
		TEST(test_every_flag_of_the_reference_line_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
