/*
 * test_format - the templates of docker's --format that scripts use.
 */
#include "unit.h"

#include "cli/command.h"
#include "cli/format.h"

static struct err e;
static struct err failed;

/* defined in main.c, which has a main() of its own */
int fail_with(const struct err *error)
{
	failed = *error;
	return 125;
}

bool invoked_as_docker(void)
{
	return false;
}

static const struct format_field fields[] = {
	{"Version",        "1.2"    },
	{"Server.Version", "\"q\"\n"},
	{"Empty",          ""       },
	{NULL,             NULL     },
};

/* Returns the status; *out is what was printed, borrowed until the next call. */
static int print(const char *template, const char **out)
{
	int dir = unit_enter();
	int keep = dup(1);
	int status;
	int fd;

	fflush(stdout);
	fd = openat(dir, "out", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	dup2(fd, 1);
	status = format_print(template, fields);
	fflush(stdout);
	dup2(keep, 1);
	close(keep);
	close(fd);
	*out = unit_read(dir, "out");
	unit_leave(dir);
	return status;
}

static void test_templates(void **state)
{
	static const struct {
		const char *template;
		const char *output;
	} table[] = {
		{"",					       "\n"			 },
		{"plain",					  "plain\n"                    },
		{"{{.Version}}",				   "1.2\n"                      },
		{"{{ .Version }}",                                 "1.2\n"                      },
		{"v{{.Version}}, {{.Server.Version}}!",            "v1.2, \"q\"\\n!\n"          },
		{"{{.Empty}}",				     "\n"                         },
		{"{{.Version}}{{.Version}}",                       "1.21.2\n"                   },
		{"}} { {a} %s",				    "}} { {a} %s\n"              },
		{"x{{json .Version}} {{ json  .Server.Version }}", "x\"1.2\" \"\\\"q\\\"\\n\"\n"},
		{"{{json .}}",
		 "{\"Version\":\"1.2\",\"Server\":{\"Version\":\"\\\"q\\\"\\n\"},\"Empty\":\"\"}"
		 "\n"									   },
		{"json",
		 "{\"Version\":\"1.2\",\"Server\":{\"Version\":\"\\\"q\\\"\\n\"},\"Empty\":\"\"}"
		 "\n"									   },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		const char *out;

		assert_int_equal(print(table[i].template, &out), 0);
		assert_string_equal(out, table[i].output);
	}
}

static void test_what_is_not_known_is_refused_by_name(void **state)
{
	static const char *const table[] = {
		"{{.Versio}}", "{{.Version2}}", "{{Version}}",  "{{.}}",
		"{{}}",        "{{ }}",         "{{.version}}", "{{range .}}",
		"{{json .X}}", "{{..}}",        "{{.Server}}",  "{{.Version | upper}}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		const char *out;
		char text[64];

		failed = (struct err){0};
		snprintf(text, sizeof(text), "{{.Version}} %s {{.Version}}", table[i]);
		assert_int_equal(print(text, &out), 125);
		assert_string_equal(out, ""); /* nothing is printed if anything is wrong */
		assert_int_equal(failed.kind, ERR_INPUT);
		assert_non_null(strstr(failed.text, table[i]));
	}
}

static void test_what_has_no_end_is_refused(void **state)
{
	static const char *const table[] = {"{{", "a {{.Version", "{{.Version}} {{.Empty}"};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		const char *out;

		failed = (struct err){0};
		assert_int_equal(print(table[i], &out), 125);
		assert_string_equal(out, "");
		assert_non_null(strstr(failed.text, strrchr(table[i], '{') - 1));
	}
}

#define ARGV(...) ((char **)(void *)(const char *[]){__VA_ARGS__, NULL})

static void test_the_option_in_its_spellings(void **state)
{
	static const char *const table[][3] = {
		{"info", "--format={{.X}}", NULL    },
		{"info", "--format",        "{{.X}}"},
		{"info", "-f",              "{{.X}}"},
	};
	const char *template = "untouched";

	(void)state;
	accepts(format_option(1, ARGV("info"), &template, &e), "none");
	assert_string_equal(template, "untouched");
	for (size_t i = 0; i < COUNT(table); i++) {
		template = NULL;
		accepts(format_option(table[i][2] ? 3 : 2, (char **)(void *)table[i], &template,
				      &e),
			"spelling");
		assert_string_equal(template, "{{.X}}");
	}
}

static void test_other_arguments_are_refused(void **state)
{
	static const char *const table[] = {"--format", "-f", "x", "--formatx", "-x", ""};
	const char *template;

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		refuses(format_option(2, ARGV("info", table[i]), &template, &e), table[i],
			ERR_INPUT, "info: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_templates),
		cmocka_unit_test(test_what_is_not_known_is_refused_by_name),
		cmocka_unit_test(test_what_has_no_end_is_refused),
		cmocka_unit_test(test_the_option_in_its_spellings),
		cmocka_unit_test(test_other_arguments_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
