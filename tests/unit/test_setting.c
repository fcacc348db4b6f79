/*
 * test_setting - docker's flag grammar, and what must hold for every row of the table.
 */
#include "unit.h"

#include <ctype.h>

#include "cli/presentation.h"
#include "flags/setting_text.h"
#include "flags/setting_words.h"
#include "spec/run_settings.h"

static struct sandbox_spec spec;
static struct presentation show;
static struct settings settings;
static struct err e;
static int used;

static int new_spec(void **state)
{
	(void)state;
	spec_init(&spec);
	settings = presentation_settings(&spec, &show);
	used = -1;
	return 0;
}

static int end_spec(void **state)
{
	(void)state;
	presentation_fini(&show);
	spec_fini(&spec);
	return 0;
}

/* Every row of all tables, one after the other. */
static const struct setting *next_row(const struct setting *row)
{
	bool next = !row;

	for (const struct setting_table *t = settings.tables; t->rows; t++) {
		for (const struct setting *r = t->rows; r->name; r++) {
			if (next)
				return r;
			next = r == row;
		}
	}
	return NULL;
}

#define EACH_ROW(row)                                                                              \
	const struct setting *row = next_row(NULL);                                                \
	row;                                                                                       \
	row = next_row(row)

/* Up to eight words, then NULL. */
static int parse(const char *const *argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	e = (struct err){0};
	used = -1;
	return setting_words(&settings, argc, (char **)argv, &used, &e);
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
	assert_int_equal(used, 2);
	accepts(parse(WORDS("--entrypoint=", "image")), "--entrypoint=");
	assert_string_equal(spec.entrypoint, "");
	accepts(parse(WORDS("--entrypoint", "", "image")), "--entrypoint ''");
	assert_int_equal(used, 2);
	accepts(parse(WORDS("-e", "A=b=c", "--env=D=")), "env");
	assert_string_equal(spec.env.items[0], "A=b=c");
	assert_string_equal(spec.env.items[1], "D=");
}

/* The word behind it is the image: docker's grammar has no other value that may be missing. */
static void test_a_value_that_may_be_missing_is_attached(void **state)
{
	(void)state;
	accepts(parse(WORDS("--writable", "64m")), "--writable 64m");
	assert_int_equal(used, 1);
	assert_true(spec.writable);
	assert_int_equal(spec.writable_bytes, 0);
	accepts(parse(WORDS("--writable=64m", "image")), "--writable=64m");
	assert_int_equal(used, 1);
	assert_int_equal(spec.writable_bytes, 64 << 20);
	refuses(parse(WORDS("--writable=", "image")), "--writable=", ERR_INPUT, "--writable: ");
	refuses(parse(WORDS("--writable=1k", "image")), "too small", ERR_INPUT, "--writable: ");
}

static void test_letters_combine(void **state)
{
	(void)state;
	accepts(parse(WORDS("-itq", "image")), "-itq");
	assert_true(spec.interactive && spec.tty && show.quiet);
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
	accepts(setting_words(&settings, 0, NULL, &used, &e), "nothing");
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
	refuses(parse(WORDS("--frobnicate", "x")), "unknown", ERR_USAGE,
		"@setting_words_unknown#2 --frobnicate");
	refuses(parse(WORDS("--frobnicate=7")), "unknown", ERR_USAGE,
		"@setting_words_unknown#2 --frobnicate");
	assert_null(strchr(e.text, '='));
	refuses(parse(WORDS("--memor=64m")), "prefix", ERR_USAGE,
		"@setting_words_unknown#mean --memor; ... --memory");
	refuses(parse(WORDS("--privilegd")), "what is refused is not offered", ERR_USAGE,
		"unknown");
	assert_null(strstr(e.text, "did you mean"));
	refuses(parse(WORDS("--memoryy=64m")), "longer", ERR_USAGE,
		"@setting_words_unknown#mean --memoryy");
	refuses(parse(WORDS("--Memory=64m")), "case", ERR_USAGE, "@setting_words_unknown#mean");
	refuses(parse(WORDS("---memory=64m")), "three dashes", ERR_USAGE,
		"@setting_words_unknown#mean");
	refuses(parse(WORDS("--=x")), "no name", ERR_USAGE, "@setting_words_unknown#2");
	refuses(parse(WORDS("-Z")), "letter", ERR_USAGE, "@setting_words_unknown_letter 'Z'");
	refuses(parse(WORDS("-iZt")), "letter", ERR_USAGE,
		"@setting_words_unknown_letter 'Z' ... -iZt");
	refuses(parse(WORDS("-=x")), "letter", ERR_USAGE, "@setting_words_unknown_letter");
}

static void test_missing_arguments_are_named(void **state)
{
	(void)state;
	for (EACH_ROW(row)) {
		char word[64];

		if (!row->arg || row->alone)
			continue;
		snprintf(word, sizeof(word), "--%s", row->name);
		refuses(parse(WORDS("--rm", word)), word, ERR_INPUT, "@setting_words_apply_next");
		assert_non_null(strstr(e.text, word));
		if (!row->letter)
			continue;
		snprintf(word, sizeof(word), "-i%c", row->letter);
		refuses(parse(WORDS(word)), word, ERR_INPUT, "@setting_words_apply_next");
	}
}

static void test_every_refused_flag_says_why(void **state)
{
	(void)state;
	for (EACH_ROW(row)) {
		char word[64];
		char letter[] = {'-', row->letter, '\0'};

		if (row->group == GROUP_REFUSED)
			assert_int_equal(row->kind, SETTING_MOOT);
		if (row->kind != SETTING_MOOT || (row->harmless && !strcmp(row->harmless, "*")) ||
		    (row->harmless && !row->arg))
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

static void test_what_is_so_anyway_is_taken(void **state)
{
	(void)state;
	for (EACH_ROW(row)) {
		const char *p = row->kind == SETTING_MOOT && row->harmless ? row->harmless : "";
		char word[64];

		for (; *p; p += strcspn(p, "|"), p += *p == '|') {
			snprintf(word, sizeof(word), "--%s=%.*s", row->name,
				 row->arg || *p != '*' ? (int)strcspn(p, "|") : 0,
				 row->arg || *p != '*' ? p : "true");
			if (!row->arg && *p == '*')
				snprintf(word, sizeof(word), "--%s=false", row->name);
			accepts(parse(WORDS(word)), word);
		}
		snprintf(word, sizeof(word), "--%s=", row->name);
		if (row->kind == SETTING_MOOT && row->harmless && row->arg)
			accepts(parse(WORDS(word)), word);
	}
	refuses(parse(WORDS("--rm=maybe")), "--rm=maybe", ERR_INPUT, "--rm: \"maybe\"");
	refuses(parse(WORDS("--restart=always")), "--restart", ERR_UNSUPPORTED,
		"@setting_value_moot --restart");
}

static void test_everything_refused_is_named_at_once(void **state)
{
	static char many[40][32];
	const char *argv[41];

	(void)state;
	refuses(parse(WORDS("--gpus", "all", "--ip=a", "--link=b", "-it", "--expose=80",
			    "--pull=always", "image")),
		"five", ERR_UNSUPPORTED, "--ip, --link: not supported: ");
	assert_memory_equal(e.text, "--gpus: not supported: devices ", 31);
	assert_non_null(strstr(e.text, "; --expose: not supported: "));
	assert_non_null(strstr(e.text, "; --pull: "));
	assert_int_equal(used, 7);
	assert_true(spec.interactive && spec.tty);
	/* What is wrong ends it, behind what was refused. */
	refuses(parse(WORDS("--privileged", "--memory=x", "-d")), "wrong", ERR_INPUT,
		"to the host; --memory: ");
	refuses(parse(WORDS("--privileged", "--frob", "-d")), "unknown", ERR_USAGE,
		"@setting_words_unknown#2 ; ... --frob");
	for (int i = 0; i < 40; i++) {
		snprintf(many[i], sizeof(many[i]), "--%s=x", i % 2 ? "gpus" : "cap-add");
		argv[i] = many[i];
	}
	argv[40] = NULL;
	refuses(parse(argv), "forty", ERR_UNSUPPORTED, "; and ");
	assert_memory_equal(strstr(e.text, " more"), " more", 6);
}

/* docker run --help of 28.2.2, less --help itself, with --net, --net-alias and --dns-opt. */
static void test_no_flag_of_docker_run_is_unknown(void **state)
{
	static const char *const names[] = {
		"add-host",
		"annotation",
		"attach",
		"blkio-weight",
		"blkio-weight-device",
		"cap-add",
		"cap-drop",
		"cgroup-parent",
		"cgroupns",
		"cidfile",
		"cpu-count",
		"cpu-percent",
		"cpu-period",
		"cpu-quota",
		"cpu-rt-period",
		"cpu-rt-runtime",
		"cpu-shares",
		"cpus",
		"cpuset-cpus",
		"cpuset-mems",
		"detach",
		"detach-keys",
		"device",
		"device-cgroup-rule",
		"device-read-bps",
		"device-read-iops",
		"device-write-bps",
		"device-write-iops",
		"disable-content-trust",
		"dns",
		"dns-option",
		"dns-search",
		"domainname",
		"entrypoint",
		"env",
		"env-file",
		"expose",
		"gpus",
		"group-add",
		"health-cmd",
		"health-interval",
		"health-retries",
		"health-start-interval",
		"health-start-period",
		"health-timeout",
		"hostname",
		"init",
		"interactive",
		"io-maxbandwidth",
		"io-maxiops",
		"ip",
		"ip6",
		"ipc",
		"isolation",
		"kernel-memory",
		"label",
		"label-file",
		"link",
		"link-local-ip",
		"log-driver",
		"log-opt",
		"mac-address",
		"memory",
		"memory-reservation",
		"memory-swap",
		"memory-swappiness",
		"mount",
		"name",
		"network",
		"network-alias",
		"no-healthcheck",
		"oom-kill-disable",
		"oom-score-adj",
		"pid",
		"pids-limit",
		"platform",
		"privileged",
		"publish",
		"publish-all",
		"pull",
		"quiet",
		"read-only",
		"restart",
		"rm",
		"runtime",
		"security-opt",
		"shm-size",
		"sig-proxy",
		"stop-signal",
		"stop-timeout",
		"storage-opt",
		"sysctl",
		"tmpfs",
		"tty",
		"ulimit",
		"use-api-socket",
		"user",
		"userns",
		"uts",
		"volume",
		"volume-driver",
		"volumes-from",
		"workdir",
		"net",
		"net-alias",
		"dns-opt",
	};
	static const char letters[] = "acdehilmpPqtuvw";

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (!setting_find(&settings, names[i], strlen(names[i])).row)
			fail_msg("--%s is not known", names[i]);
	}
	for (const char *p = letters; *p; p++) {
		if (!setting_find_letter(&settings, *p).row)
			fail_msg("-%c is not known", *p);
	}
}

static void test_errors_of_a_value_name_the_flag(void **state)
{
	(void)state;
	for (EACH_ROW(row)) {
		/* Invalid for every row except those of free text. */
		static const char bad[] = "\x01,=:/..";
		char word[64];

		if (row->kind == SETTING_MOOT)
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
	accepts(setting_words(&settings, count + 1, (char **)argv, &used, &e), "10000 flags");
	assert_int_equal(used, count);
	assert_int_equal(spec.env.count, count / 2);
	assert_int_equal(show.labels.count, count / 2);
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
	refuses(parse(WORDS(text)), "a megabyte", ERR_USAGE, "@setting_words_unknown#2");
	memcpy(text, "-x", 2);
	refuses(parse(WORDS(text)), "a megabyte", ERR_USAGE, "@setting_words_unknown_letter");
	free(text);
}

/* --- the table ------------------------------------------------------------ */

static void test_names_and_letters_are_unique(void **state)
{
	(void)state;
	for (EACH_ROW(row)) {
		for (EACH_ROW(other)) {
			if (other == row)
				break;
			assert_string_not_equal(row->name, other->name);
			if (row->letter)
				assert_int_not_equal(row->letter, other->letter);
		}
	}
}

/* Which rows were given is kept as a bit for each row. */
static void test_the_table_is_not_too_long(void **state)
{
	size_t count = 0;

	(void)state;
	while (run_settings[count].name)
		count++;
	assert_in_range(count, 1, 64 * SETTING_GIVEN);
}

static void test_what_was_given_is_known(void **state)
{
	(void)state;
	assert_null(setting_next_given(run_settings, spec.given, NULL));
	accepts(parse(WORDS("-m", "512m", "--ulimit=nofile=5", "--json")), "given");
	assert_true(setting_given(run_settings, spec.given, "memory"));
	assert_true(setting_given(run_settings, spec.given, "ulimit"));
	assert_false(setting_given(run_settings, spec.given, "cpus"));
	assert_string_equal(setting_next_given(run_settings, spec.given, NULL)->name, "memory");
}

/* --- another grammar ------------------------------------------------------ */

struct filled {
	const char *name;
	bool loud;
	uint64_t size;
	bool help;
};

static const struct setting small[] = {
	{"name",  'n',           "NAME",        GROUP_PROGRAM, FACE_WARM,              SETTING_TEXT,           offsetof(struct filled, name),
	 "default",			      .help = "a name"},
	{      "loud",    'l',          NULL, GROUP_PROGRAM,     FACE_WARM,           SETTING_FLAG, offsetof(struct filled,                  loud),
	 NULL,		 .help = "a flag"                },
	{ "size", 0, "SIZE",     GROUP_PROGRAM, FACE_WARM, SETTING_BYTES,                  offsetof(struct filled,															 size),
	 "1k", .max = 1 << 20,                 .help = "a size"},
	SETTING_END,
};

/* Returns the number of operands, which are at the end of `argv`, or -1. */
static int read_small(unsigned grammar, const char *const *words, char **argv, struct filled *out)
{
	struct settings s = {.face = FACE_WARM,
			     .grammar = grammar,
			     .tables = {{small, out, NULL}},
			     .hint = "",
			     .help = &out->help};
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)words[argc];
	*out = (struct filled){0};
	setting_defaults(&s.tables[0], NULL);
	e = (struct err){0};
	if (setting_words(&s, argc, argv, &used, &e))
		return -1;
	return argc - used;
}

static void test_defaults_come_from_the_rows(void **state)
{
	struct filled f;
	char *argv[8];

	(void)state;
	assert_int_equal(read_small(0, WORDS(NULL), argv, &f), 0);
	assert_string_equal(f.name, "default");
	assert_int_equal(f.size, 1024);
	assert_false(f.loud || f.help);
}

static void test_operands_between_flags(void **state)
{
	struct filled f;
	char *argv[16];

	(void)state;
	assert_int_equal(read_small(WORDS_ANYWHERE,
				    WORDS("a", "--loud", "b", "--name", "n", "-", "--", "--size"),
				    argv, &f),
			 4);
	assert_true(f.loud);
	assert_string_equal(f.name, "n");
	for (int i = 0; i < 4; i++)
		assert_string_equal(argv[used + i], ((const char *[]){"a", "b", "-", "--size"})[i]);
	/* Otherwise the first operand ends the flags, and nothing is reordered. */
	assert_int_equal(read_small(0, WORDS("--size=2k", "a", "--loud"), argv, &f), 2);
	assert_false(f.loud);
	assert_int_equal(f.size, 2048);
	assert_string_equal(argv[1], "a");
}

static void test_flags_that_can_be_off(void **state)
{
	struct filled f;
	char *argv[8];

	(void)state;
	assert_int_equal(read_small(WORDS_NEGATED, WORDS("--loud", "--no-loud"), argv, &f), 0);
	assert_false(f.loud);
	refuses(read_small(WORDS_NEGATED, WORDS("--no-name"), argv, &f), "--no-name", ERR_INPUT,
		"@setting_words_unknown#there --no-name");
	refuses(read_small(WORDS_NEGATED, WORDS("--no-loud=1"), argv, &f), "--no-loud=1", ERR_INPUT,
		"@setting_words_unknown#there --no-loud;");
	refuses(read_small(0, WORDS("--no-loud"), argv, &f), "--no-loud", ERR_INPUT,
		"@setting_words_unknown#there");
}

static void test_letters_that_stand_alone(void **state)
{
	struct filled f;
	char *argv[8];

	(void)state;
	assert_int_equal(read_small(0, WORDS("-l", "-nx"), argv, &f), 0);
	assert_true(f.loud);
	assert_string_equal(f.name, "x");
	refuses(read_small(0, WORDS("-ll"), argv, &f), "-ll", ERR_INPUT,
		"@setting_words_unknown#there -ll");
	assert_int_equal(read_small(WORDS_BUNDLED, WORDS("-ll"), argv, &f), 0);
}

static void test_help_and_hints(void **state)
{
	struct filled f;
	char *argv[8];

	(void)state;
	assert_int_equal(read_small(0, WORDS("--loud", "--help"), argv, &f), 0);
	assert_true(f.help && f.loud);
	refuses(read_small(0, WORDS("--what", "x"), argv, &f), "--what", ERR_INPUT,
		"@setting_words_unknown#there --what ... --name ... --loud ... --size");
	refuses(read_small(0, WORDS("--nam", "x"), argv, &f), "--nam", ERR_INPUT,
		"@setting_words_unknown#mean --nam ... --name");
	assert_string_equal(f.name, "default");
	refuses(read_small(0, WORDS("--size"), argv, &f), "--size", ERR_INPUT,
		"@setting_words_apply_next --size");
	refuses(read_small(0, WORDS("--size=2m"), argv, &f), "--size", ERR_INPUT, "--size: 2m");
	refuses(read_small(0, WORDS("--loud="), argv, &f), "--loud=", ERR_INPUT, "--loud: ");
}

/* --- faces ---------------------------------------------------------------- */

/* Every row that a face does not have is refused by name, or is unknown. */
static void test_every_row_that_a_session_lacks_is_refused_by_name(void **state)
{
	unsigned refused = 0;

	(void)state;
	settings.face = settings.needs = FACE_SESSION;
	settings.unfit = "for runs, not for sessions";
	for (EACH_ROW(row)) {
		char word[64];

		if (row->faces & FACE_SESSION)
			continue;
		snprintf(word, sizeof(word), "--%s=1", row->name);
		refuses(parse(WORDS(word)), word, ERR_INPUT, "@repl_all_settings#runs");
		assert_memory_equal(e.text, word, strlen(word) - 2);
		refused++;
	}
	assert_true(refused > 10);
}

static void test_help_lines_name_every_row_of_a_face(void **state)
{
	static const struct setting_layout layout = {.indent = 2, .width = 10, .letters = true};
	auto_buf struct buf text = {0};

	(void)state;
	setting_text_help_all(&settings, GROUP_COUNT, &layout, &text);
	for (EACH_ROW(row)) {
		char word[64];

		snprintf(word, sizeof(word), "--%s ", row->name);
		if (!strstr(buf_string(&text), word))
			fail_msg("no %s in the help", word);
	}
	assert_non_null(strstr(buf_string(&text), "  -m, --memory SIZE memory"));
	assert_non_null(strstr(buf_string(&text), "no limit [512m]\n"));
}

static unsigned count_flag(const char *flags, const char *name)
{
	unsigned count = 0;
	char word[64];

	snprintf(word, sizeof(word), "--%s", name);
	for (const char *p = flags; (p = strstr(p, word)); p++)
		count += strchr(", \n", p[strlen(word)]) != NULL;
	return count;
}

/* The lines of flags are indented deeper than those of reasons, which may name other flags. */
static void test_refused_rows_stand_once_below_their_reasons(void **state)
{
	auto_buf struct buf text = {0};
	auto_buf struct buf flags = {0};

	(void)state;
	setting_text_refused(&settings, false, &text);
	for (const char *line = buf_string(&text); *line; line += strcspn(line, "\n") + 1) {
		size_t length = strcspn(line, "\n") + 1;

		assert_in_range(length, 4, 100);
		if (!strncmp(line, "      ", 6))
			buf_add(&flags, line, length);
	}
	for (EACH_ROW(row)) {
		assert_int_equal(count_flag(buf_string(&flags), row->name),
				 row->group == GROUP_REFUSED);
		if (row->group == GROUP_REFUSED)
			assert_non_null(strstr(buf_string(&text), row->help));
	}
}

static void test_names_are_spelled_as_flags_are(void **state)
{
	(void)state;
	for (EACH_ROW(row)) {
		assert_true(islower((unsigned char)row->name[0]));
		assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz-0123456789"),
				 strlen(row->name));
		assert_true(!row->letter || isalpha((unsigned char)row->letter));
		assert_true(!row->arg || *row->arg);
	}
}

static void test_every_row_is_complete(void **state)
{
	(void)state;
	for (EACH_ROW(row)) {
		if (!row->help || !*row->help || strchr(row->help, '\n'))
			fail_msg("--%s: no help, or more than a line", row->name);
		assert_in_range(row->group, 0, GROUP_COUNT - 1);
		/* Nothing is accepted and then ignored. */
		if (row->kind == SETTING_OWN && !row->parse)
			fail_msg("--%s: neither applied nor refused", row->name);
		if (!(row->faces & FACE_CELL) && !row->unfit)
			fail_msg("--%s: no cell has it, and nobody says why", row->name);
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
		const struct setting *row = setting_find(&settings, names[i], strlen(names[i])).row;

		if (!row || row->group == GROUP_REFUSED)
			fail_msg("--%s is not supported", names[i]);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_spec, end_spec)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_value_follows_or_is_joined),
		TEST(test_value_may_look_like_a_flag_or_be_empty),
		TEST(test_a_value_that_may_be_missing_is_attached),
		TEST(test_letters_combine),
		TEST(test_letters_combine_up_to_the_one_with_a_value),
		TEST(test_boolean_values),
		TEST(test_parsing_stops_at_the_first_word),
		TEST(test_two_dashes_end_the_flags),
		TEST(test_unknown_flags_are_named),
		TEST(test_missing_arguments_are_named),
		TEST(test_every_refused_flag_says_why),
		TEST(test_what_is_so_anyway_is_taken),
		TEST(test_everything_refused_is_named_at_once),
		TEST(test_no_flag_of_docker_run_is_unknown),
		TEST(test_errors_of_a_value_name_the_flag),
		TEST(test_ten_thousand_flags),
		TEST(test_a_megabyte_is_a_value_like_any_other),
		TEST(test_names_and_letters_are_unique),
		TEST(test_names_are_spelled_as_flags_are),
		TEST(test_every_row_is_complete),
		TEST(test_every_flag_of_the_reference_line_is_there),
		TEST(test_the_table_is_not_too_long),
		TEST(test_what_was_given_is_known),
		TEST(test_defaults_come_from_the_rows),
		TEST(test_operands_between_flags),
		TEST(test_flags_that_can_be_off),
		TEST(test_letters_that_stand_alone),
		TEST(test_help_and_hints),
		TEST(test_every_row_that_a_session_lacks_is_refused_by_name),
		TEST(test_help_lines_name_every_row_of_a_face),
		TEST(test_refused_rows_stand_once_below_their_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
