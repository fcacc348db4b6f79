/*
 * test_requirement - what pip may be asked for: names, and nothing that it would execute.
 */
#include "unit.h"

#include "cli/requirement.h"

static struct err e;

static int read_file(const char *text)
{
	auto_buf struct buf out = {0};

	return requirement_read(text, "f", &out, &e);
}

static void test_words(void **state)
{
	static const char *const good[] = {
		"rich",
		"httpx==0.27.2",
		"a.b_c-d>=1,<2",
		"uvicorn[standard]~=0.30",
		"x!=1.*; python_version < '3.12'",
	};
	static const char *const bad[] = {
		"",
		"-r",
		"--no-binary=:all:",
		"rich --no-binary=:all:",
		"rich -e x",
		".",
		"./here",
		"/data/x.tar.gz",
		"here/x",
		"https://h.example/x-1.tar.gz",
		"git+https://h.example/x",
		"x @ https://h.example/x-1.tar.gz",
		"x@h",
		"${HOME}",
		"x\n--no-binary=:all:",
		"x\\",
		"n\xc3\xa4me",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		accepts(requirement_check(good[i], &e), good[i]);
	for (size_t i = 0; i < COUNT(bad); i++)
		refuses(requirement_check(bad[i], &e), bad[i], ERR_INPUT,
			"is not the name of a package");
}

static void test_files(void **state)
{
	static const char *const good[] = {
		"",
		"\n\n# all of it\n  \n",
		"rich\nhttpx==0.27.2  # why\r\n\tx[y]>=1 ; python_version < '3'\n",
		"rich==1 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\nx==2 --hash=sha256:22",
		"x # from https://h.example/ -r other --no-binary\n",
	};
	static const char *const bad[] = {
		"-r other.txt",
		"-e .",
		"--index-url https://h.example/simple",
		"--no-binary :all:",
		"--hash=sha256:00 --no-binary=:all:",
		"rich --no-binary=:all:",
		"rich -e .",
		"rich --hash=sha256:00 -e .",
		"./here",
		"x @ https://h.example/x.tar.gz",
		"git+ssh://h.example/x",
		"${X}",
		"x#egg=y/z",
		"ri\\ch",
		"--no-bin\\\nary :all:",
		"rich\v--no-binary=:all:",
		"rich\f--no-binary=:all:",
		"rich\r--no-binary=:all:",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		accepts(read_file(good[i]), good[i]);
	for (size_t i = 0; i < COUNT(bad); i++) {
		char text[200];

		snprintf(text, sizeof(text), "good\n%s\ngood\n", bad[i]);
		refuses(read_file(text), bad[i], ERR_INPUT, "line 2 of f");
	}
}

/* pip would end a line there, or read another encoding. */
static void test_comments_are_not_passed_on(void **state)
{
	auto_buf struct buf out = {0};

	(void)state;
	accepts(requirement_read("# coding: utf-7\n x==1 # a\v-e .\xe2\x80\xa8-e .\r\n"
				 "y \\\r\n --hash=sha256:1\nz#1 # \\\nw",
				 "f", &out, &e),
		"all");
	assert_string_equal(buf_string(&out), "\nx==1\ny \\\n--hash=sha256:1\nz#1\nw\n");
}

/* What goes on in the next line is one to pip. */
static void test_lines_that_go_on(void **state)
{
	(void)state;
	refuses(read_file("rich \\\n-e .\n"), "-e", ERR_INPUT, "line 2 of f");
	refuses(read_file("a\\\n/b\n"), "a path", ERR_INPUT, "line 2 of f");
	refuses(read_file("git\\\n+https:\\\n//h\n"), "a URL", ERR_INPUT, "of f");
	refuses(read_file("x -\\\ne y\n"), "an option", ERR_INPUT, "of f");
	refuses(read_file("x --no-\\\nbinary y\n"), "an option", ERR_INPUT, "of f");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_comments_are_not_passed_on),
		cmocka_unit_test(test_lines_that_go_on),
	};

	return cmocka_run_group_tests_name("requirement", tests, NULL, NULL);
}
