/*
 * test_program_flags - variables and their files, users, names, signals, options.
 */
#include "unit.h"

#include <limits.h>
#include <signal.h>

#include "cli/presentation.h"
#include "spec/program_flags.h"

static struct sandbox_spec spec;
static struct presentation show;
static struct err e;
static int directory;

static int new_spec(void **state)
{
	(void)state;
	spec_init(&spec);
	directory = unit_enter();
	return 0;
}

static int end_spec(void **state)
{
	(void)state;
	spec_fini(&spec);
	unit_leave(directory);
	return 0;
}

typedef int apply_fn(void *, const char *, struct err *);

static void each_refused(apply_fn *apply, enum err_kind kind, const char *const *table,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		refuses(apply(&spec, table[i], &e), table[i], kind, "");
}

#define REFUSED(apply, kind, ...)                                                                  \
	each_refused(apply, kind, (const char *const[]){__VA_ARGS__},                              \
		     COUNT(((const char *const[]){__VA_ARGS__})))

static void list_is(const struct string_list *list, const char *const *wanted, size_t count)
{
	assert_int_equal(list->count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(list->items[i], wanted[i]);
}

#define LIST_IS(list, ...)                                                                         \
	list_is(list, (const char *const[]){__VA_ARGS__},                                          \
		COUNT(((const char *const[]){__VA_ARGS__})))

static void test_env_values_are_taken_as_they_are(void **state)
{
	static const char *const given[] = {"A=1",          "B=",         "C=a=b",
					    "D=two\nlines", "E= spaced ", "F=\xff\x01",
					    "a.b-c=1",      "1=2",        "G=\"quoted\""};

	(void)state;
	for (size_t i = 0; i < COUNT(given); i++)
		accepts(program_flag_env(&spec, given[i], &e), given[i]);
	list_is(&spec.env, given, COUNT(given));
}

static void test_env_bare_name_is_inherited_or_left_out(void **state)
{
	(void)state;
	setenv("GLOVEBOX_UNIT", "in=herited", 1);
	unsetenv("GLOVEBOX_UNIT_NOT");
	accepts(program_flag_env(&spec, "GLOVEBOX_UNIT", &e), "GLOVEBOX_UNIT");
	accepts(program_flag_env(&spec, "GLOVEBOX_UNIT_NOT", &e), "GLOVEBOX_UNIT_NOT");
	LIST_IS(&spec.env, "GLOVEBOX_UNIT=in=herited");
	REFUSED(program_flag_env, ERR_INPUT, "", "=", "=value");
}

/* Write an env file and apply it. */
static int env_file(const char *text, size_t length)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/env", unit_directory);
	unit_write(directory, "env", text, length);
	e = (struct err){0};
	return program_flag_env_file(&spec, path, &e);
}

#define ENV_FILE(text) env_file(text, sizeof(text) - 1)

static void test_env_file_as_docker_reads_it(void **state)
{
	(void)state;
	setenv("GLOVEBOX_UNIT", "inherited", 1);
	unsetenv("GLOVEBOX_UNIT_NOT");
	accepts(ENV_FILE("# comment\n"
			 "\n"
			 "A=1\n"
			 "   \t\n"
			 "  B=indented\n"
			 "  # indented comment\n"
			 "C=a # no comment\n"
			 "D=\"quotes stay\"\n"
			 "E=\n"
			 "F==x=y\n"
			 "G= spaces stay \n"
			 "GLOVEBOX_UNIT\n"
			 "GLOVEBOX_UNIT_NOT\n"
			 "H=caf\xc3\xa9\n"
			 "#=comment\n"
			 "A=again\n"
			 "LAST=without newline"),
		"env file");
	LIST_IS(&spec.env_file, "A=1", "B=indented", "C=a # no comment", "D=\"quotes stay\"",
		"E=", "F==x=y", "G= spaces stay ", "GLOVEBOX_UNIT=inherited", "H=caf\xc3\xa9",
		"A=again", "LAST=without newline");
	assert_int_equal(spec.env.count, 0);
}

static void test_env_file_with_windows_line_ends(void **state)
{
	(void)state;
	accepts(ENV_FILE("A=1\r\n\r\n# c\r\nB=x\ry\r\nC=3\r"), "CRLF");
	LIST_IS(&spec.env_file, "A=1", "B=x\ry", "C=3");
}

static void test_env_file_begins_after_a_byte_order_mark(void **state)
{
	(void)state;
	accepts(ENV_FILE("\xef\xbb\xbf"
			 "A=1\nB=2\n"),
		"BOM");
	LIST_IS(&spec.env_file, "A=1", "B=2");
}

static void test_env_file_empty(void **state)
{
	(void)state;
	accepts(ENV_FILE(""), "empty");
	accepts(ENV_FILE("\n\n\n"), "newlines");
	accepts(ENV_FILE("# only"), "comment");
	assert_int_equal(spec.env_file.count, 0);
}

static void test_env_file_mistakes_name_the_file(void **state)
{
	(void)state;
	refuses(ENV_FILE("A=1\n=2\n"), "=2", ERR_INPUT, "/env: ");
	refuses(ENV_FILE("A B=1\n"), "A B", ERR_INPUT, "@program_flag_env_file#variable");
	refuses(ENV_FILE("A\tB\n"), "A\\tB", ERR_INPUT, "@program_flag_env_file#variable");
	refuses(ENV_FILE("A =1\n"), "A =1", ERR_INPUT, "@program_flag_env_file#variable");
	refuses(ENV_FILE("export A=1\n"), "export", ERR_INPUT, "@program_flag_env_file#variable");
	refuses(ENV_FILE("A=1\0B=2\n"), "NUL", ERR_INPUT, "NUL");
	refuses(ENV_FILE("A=\xff\n"), "not UTF-8", ERR_INPUT, "utf8");
	refuses(ENV_FILE("A=\xc3"), "cut UTF-8", ERR_INPUT, "utf8");
	refuses(ENV_FILE("\0"), "NUL alone", ERR_INPUT, "NUL");
	refuses(program_flag_env_file(&spec, "/nonexistent/env", &e), "missing", ERR_SYSTEM,
		"/nonexistent/env");
	refuses(program_flag_env_file(&spec, unit_directory, &e), "directory", ERR_SYSTEM,
		unit_directory);
}

static void test_env_file_of_more_than_a_megabyte_is_refused(void **state)
{
	size_t length = (1 << 20) + 1;
	char *text = malloc(length);

	(void)state;
	memset(text, '\n', length);
	accepts(env_file(text, length - 1), "1 MiB");
	refuses(env_file(text, length), "1 MiB and 1", ERR_INPUT, "@io_read_fd#larger 1m");
	free(text);
}

static void test_env_file_many_lines(void **state)
{
	size_t count = 5000;
	char *text = malloc(count * 10);
	size_t length = 0;

	(void)state;
	for (size_t i = 0; i < count; i++)
		length += (size_t)sprintf(text + length, "K%zu=v\n", i);
	accepts(env_file(text, length), "5000 lines");
	assert_int_equal(spec.env_file.count, count);
	assert_string_equal(spec.env_file.items[count - 1], "K4999=v");
	free(text);
}

static void test_workdir_is_absolute(void **state)
{
	char text[PATH_MAX + 1];

	(void)state;
	accepts(program_flag_workdir(&spec, "/work dir", &e), "/work dir");
	assert_string_equal(spec.workdir, "/work dir");
	REFUSED(program_flag_workdir, ERR_INPUT, "", "work", "./work", "~");
	memset(text, 'x', sizeof(text));
	text[0] = '/';
	text[PATH_MAX] = '\0';
	refuses(program_flag_workdir(&spec, text, &e), "/x...", ERR_INPUT, "longer");
	assert_string_equal(spec.workdir, "/work dir");
}

static void test_user(void **state)
{
	static const char *const good[] = {"0", "1000", "1000:1000", "nobody", "a:b", "web-1.x_y"};
	char text[200];

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		accepts(program_flag_user(&spec, good[i], &e), good[i]);
		assert_string_equal(spec.user, good[i]);
	}
	REFUSED(program_flag_user, ERR_INPUT, "", ":", ":0", "a/b", "../x", "a\nroot:0", "a:b\n");
	memset(text, 'u', sizeof(text));
	text[129] = '\0';
	REFUSED(program_flag_user, ERR_INPUT, text);
}

static void test_names(void **state)
{
	char text[200];

	(void)state;
	accepts(program_flag_name(&spec, "job-1.x_Y", &e), "job-1.x_Y");
	assert_string_equal(spec.name, "job-1.x_Y");
	REFUSED(program_flag_name, ERR_INPUT, "", "a", "-a", ".a", "_a", "a b", "a/b", "../a",
		"a\n", "caf\xc3\xa9", "a:b");
	refuses(program_flag_name(&spec, "x", &e), "x", ERR_INPUT,
		"@program_name_check#characters");
	accepts(program_flag_hostname(&spec, "box-1.example", &e), "host");
	assert_string_equal(spec.hostname, "box-1.example");
	REFUSED(program_flag_hostname, ERR_INPUT, "-a", ".a", "a b", "a/b", "a\n127.0.0.1 x");
	memset(text, 'n', sizeof(text));
	text[64] = '\0';
	accepts(program_flag_hostname(&spec, text, &e), "64");
	text[64] = 'n';
	text[65] = '\0';
	REFUSED(program_flag_hostname, ERR_INPUT, text);
	text[65] = 'n';
	text[128] = '\0';
	accepts(program_flag_name(&spec, text, &e), "128");
	text[128] = 'n';
	text[129] = '\0';
	REFUSED(program_flag_name, ERR_INPUT, text);
}

/* The rows of the table that have no parser of their own, and those of the presentation. */
static void set(const char *name, const char *value, bool good)
{
	struct settings settings = presentation_settings(&spec, &show);
	int bad = setting_apply(&settings, setting_find(&settings, name, strlen(name)), value, &e);

	if (!bad != good)
		fail_msg("--%s=%s: %s", name, value, bad ? e.text : "accepted");
}

static void test_labels_files_and_entrypoint(void **state)
{
	static const char *const files[] = {"cidfile", "result-file", "code"};

	(void)state;
	set("label", "a=b=c", true);
	set("label", "bare", true);
	LIST_IS(&show.labels, "a=b=c", "bare");
	set("label", "", false);
	set("label", "=x", false);
	for (size_t i = 0; i < COUNT(files); i++) {
		set(files[i], "./-", true);
		set(files[i], "", !i); /* docker's --cidfile= is none */
	}
	assert_string_equal(show.cidfile.text, "./-");
	assert_string_equal(show.result_file.text, "./-");
	assert_string_equal(spec.code_file, "./-");
	assert_null(spec.entrypoint);
	set("entrypoint", "", true); /* "": the image's entrypoint is not used */
	assert_string_equal(spec.entrypoint, "");
	presentation_fini(&show);
}

static void test_stop_signal_every_name_and_number(void **state)
{
	(void)state;
	for (int signal = 1; signal <= 64; signal++) {
		char text[32];

		snprintf(text, sizeof(text), "%d", signal);
		accepts(program_flag_stop_signal(&spec, text, &e), text);
		assert_int_equal(spec.stop_signal, signal);
		if (!sigabbrev_np(signal))
			continue;
		for (int with = 0; with < 3; with++) {
			static const char *const prefix[] = {"", "SIG", "sig"};

			spec.stop_signal = 0;
			snprintf(text, sizeof(text), "%s%s", prefix[with], sigabbrev_np(signal));
			accepts(program_flag_stop_signal(&spec, text, &e), text);
			assert_int_equal(spec.stop_signal, signal);
		}
	}
	REFUSED(program_flag_stop_signal, ERR_INPUT, "", "0", "65", "-1", "SIG", "SIGSIGTERM",
		"NOPE", "15x", "1.0", " TERM", "999999999999999999999");
}

static void test_stop_timeout(void **state)
{
	(void)state;
	set("stop-timeout", "10", true);
	assert_int_equal(spec.stop_timeout_ms, 10000);
	set("stop-timeout", "0", true);
	assert_int_equal(spec.stop_timeout_ms, 0);
	for (size_t i = 0; i < 4; i++)
		set("stop-timeout", ((const char *[]){"", "-1", "61m", "x"})[i], false);
}

static void test_pull_platform_and_network(void **state)
{
	(void)state;
	accepts(program_flag_pull(&spec, "never", &e), "never");
	accepts(program_flag_pull(&spec, "missing", &e), "missing");
	REFUSED(program_flag_pull, ERR_UNSUPPORTED, "always");
	REFUSED(program_flag_pull, ERR_INPUT, "", "nev", "Never", "missing ");
	REFUSED(program_flag_platform, ERR_UNSUPPORTED, "", "windows/amd64", "linux/386",
		"linux/s390x", "linux/");
	accepts(program_flag_platform(&spec, "linux", &e), "linux");
	accepts(program_flag_network(&spec, "none", &e), "none");
	REFUSED(program_flag_network, ERR_UNSUPPORTED, "", "host", "bridge", "container:x", "None",
		"none ");
}

static void test_a_writable_root_is_refused(void **state)
{
	(void)state;
	accepts(program_flag_read_only(&spec, "true", &e), "true");
	REFUSED(program_flag_read_only, ERR_UNSUPPORTED, "false", "0");
	REFUSED(program_flag_read_only, ERR_INPUT, "", "ro");
}

static void test_security_options(void **state)
{
	static const char *const good[] = {"no-new-privileges", "no-new-privileges:true",
					   "no-new-privileges=true", "no-new-privileges=1",
					   /* so anyway */
					   "label=disable", "label:disable", "apparmor=unconfined",
					   "apparmor=docker-default"};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		accepts(program_flag_security(&spec, good[i], &e), good[i]);
	REFUSED(program_flag_security, ERR_UNSUPPORTED, "no-new-privileges=false",
		"no-new-privileges:false", "", "apparmor=mine", "label=type:x", "labels=disable",
		"systempaths=unconfined", "no-new-privilege", "no-new-privilegess", "seccom=x",
		"=seccomp", "seccompx=unconfined");
	REFUSED(program_flag_security, ERR_INPUT, "no-new-privileges=maybe");
	assert_int_equal(spec.seccomp, SECCOMP_SHIPPED);
}

static void test_seccomp_choices(void **state)
{
	char option[400];

	(void)state;
	accepts(program_flag_security(&spec, "seccomp=unconfined", &e), "unconfined");
	assert_int_equal(spec.seccomp, SECCOMP_UNCONFINED);
	accepts(program_flag_security(&spec, "seccomp=builtin", &e), "builtin");
	assert_int_equal(spec.seccomp, SECCOMP_SHIPPED);
	snprintf(option, sizeof(option), "seccomp=%s/profile", unit_directory);
	refuses(program_flag_security(&spec, option, &e), option, ERR_SYSTEM,
		"@program_flags_seccomp_option#opening");
	unit_write(directory, "profile", "", 0);
	refuses(program_flag_security(&spec, option, &e), option, ERR_INPUT, "empty");
	unit_write(directory, "profile", "{\0}", 3);
	refuses(program_flag_security(&spec, option, &e), option, ERR_INPUT,
		"@program_flags_seccomp_option#empty");
	assert_int_equal(spec.seccomp, SECCOMP_SHIPPED);
	unit_write(directory, "profile", "{}", 2);
	accepts(program_flag_security(&spec, option, &e), option);
	assert_int_equal(spec.seccomp, SECCOMP_PROFILE);
	assert_string_equal(spec.seccomp_profile, "{}");
	REFUSED(program_flag_security, ERR_SYSTEM, "seccomp", "seccomp=", "seccomp=/nonexistent");
}

static void test_cap_drop_knows_the_names(void **state)
{
	static const char *const good[] = {"ALL",
					   "all",
					   "NET_RAW",
					   "net_raw",
					   "CAP_NET_RAW",
					   "cap_chown",
					   "CHECKPOINT_RESTORE",
					   "SYS_ADMIN"};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		accepts(program_flag_cap_drop(&spec, good[i], &e), good[i]);
	REFUSED(program_flag_cap_drop, ERR_INPUT, "", "CAP_", "NET", "NET_RAW ", "NET-RAW",
		"CAP_CAP_CHOWN", "ALLL", "0",
		"CHECKPOINT_RESTORE_AND_MUCH_MORE_THAN_THERE_IS_ROOM_FOR");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_spec, end_spec)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_env_values_are_taken_as_they_are),
		TEST(test_env_bare_name_is_inherited_or_left_out),
		TEST(test_env_file_as_docker_reads_it),
		TEST(test_env_file_with_windows_line_ends),
		TEST(test_env_file_begins_after_a_byte_order_mark),
		TEST(test_env_file_empty),
		TEST(test_env_file_mistakes_name_the_file),
		TEST(test_env_file_of_more_than_a_megabyte_is_refused),
		TEST(test_env_file_many_lines),
		TEST(test_workdir_is_absolute),
		TEST(test_user),
		TEST(test_names),
		TEST(test_labels_files_and_entrypoint),
		TEST(test_stop_signal_every_name_and_number),
		TEST(test_stop_timeout),
		TEST(test_pull_platform_and_network),
		TEST(test_a_writable_root_is_refused),
		TEST(test_security_options),
		TEST(test_seccomp_choices),
		TEST(test_cap_drop_knows_the_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
