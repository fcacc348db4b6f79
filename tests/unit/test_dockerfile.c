/*
 * test_dockerfile - Dockerfiles: lines, instructions, words, what is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../rootfs/dockerfile/dockerfile.h"
#include "../../rootfs/dockerfile/dockerfile_ignore.h"
#include "../../rootfs/dockerfile/dockerfile_key.h"
#include "../../rootfs/dockerfile/dockerfile_state.h"
#include "../../rootfs/dockerfile/dockerfile_words.h"
#include "base/own.h"
#include "message_list.h"

static int parse(struct dockerfile *d, const char *text, struct err *e)
{
	*e = (struct err){0};
	return dockerfile_parse(text, strlen(text), d, e);
}

static void parsed(struct dockerfile *d, const char *text)
{
	struct err e;

	if (parse(d, text, &e))
		fail_msg("%s: %s", text, e.text);
}

static void test_lines_are_joined_and_comments_left_out(void **state)
{
	auto_dockerfile struct dockerfile d;

	(void)state;
	parsed(&d,
	       "\xef\xbb\xbf"
	       "# a comment\n\n  from x \\\n\n # another\n   AS y\r\nRun a \\ \n# c\n && b\\\\\n"
	       "run [ \"a\", \"b c\" ]\nRUN [not json\n");
	assert_int_equal(d.count, 4);
	assert_int_equal(d.items[0].kind, INSTRUCTION_FROM);
	assert_string_equal(d.items[0].text, "x    AS y");
	assert_int_equal(d.items[0].line, 3);
	assert_int_equal(d.items[1].kind, INSTRUCTION_RUN);
	assert_string_equal(d.items[1].text, "a  && b\\\\");
	assert_int_equal(d.items[1].line, 7);
	assert_true(d.items[2].is_json);
	assert_int_equal(d.items[2].words.count, 2);
	assert_string_equal(d.items[2].words.items[1], "b c");
	assert_false(d.items[3].is_json);
	assert_string_equal(d.items[3].text, "[not json");
}

static void test_directives_stand_at_the_top(void **state)
{
	auto_dockerfile struct dockerfile d;
	auto_dockerfile struct dockerfile second;

	(void)state;
	parsed(&d, "# syntax=docker/dockerfile:1.7\n# Escape = `\nFROM x\nRUN a `\n b \\\nRUN c\n");
	assert_int_equal(d.escape, '`');
	assert_int_equal(d.count, 3);
	assert_string_equal(d.items[1].text, "a  b \\");
	assert_int_equal(d.items[1].line, 4);
	parsed(&second, "\n# escape=`\nFROM x\n");
	assert_int_equal(second.escape, '\\');
}

static void test_flags_stand_before_the_words(void **state)
{
	auto_dockerfile struct dockerfile d;

	(void)state;
	parsed(&d, "FROM --platform=linux x\nCOPY --chown=a:b --link --chmod=755 [\"a\", \"b\"]\n");
	assert_string_equal(instruction_flag(&d.items[0], "platform"), "linux");
	assert_string_equal(instruction_flag(&d.items[1], "chown"), "a:b");
	assert_string_equal(instruction_flag(&d.items[1], "link"), "");
	assert_null(instruction_flag(&d.items[1], "from"));
	assert_null(instruction_flag(&d.items[1], "ch"));
	assert_true(d.items[1].is_json);
}

static void test_heredocs_are_read(void **state)
{
	auto_dockerfile struct dockerfile d;

	(void)state;
	parsed(&d,
	       "FROM x\nRUN <<EOF\n# no comment\na \\\nEOF\nRUN python3 - <<-'PY' 3<<B && x\n\tp\n"
	       "PY\nb\nB\nCOPY <<\"a\" <<b /x/\n$A\na\n$B\nb\nRUN cat <<<EOF\n");
	assert_int_equal(d.count, 5);
	assert_string_equal(d.items[1].text, "# no comment\na \\\n");
	assert_string_equal(d.items[2].text, "python3 - <<-'PY' 3<<B && x\np\nPY\nb\nB");
	assert_int_equal(d.items[2].line, 6);
	assert_int_equal(d.items[3].heredoc_count, 2);
	assert_true(d.items[3].heredocs[0].literal);
	assert_string_equal(d.items[3].heredocs[0].text, "$A\n");
	assert_false(d.items[3].heredocs[1].literal);
	assert_string_equal(d.items[4].text, "cat <<<EOF");
	assert_int_equal(d.items[4].heredoc_count, 0);
}

static void test_what_is_not_understood_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text;
		const char *where;
		const char *says;
	} bad[] = {
		{"",				    "",                  "@dockerfile_parse#instruction"                  },
		{"# nothing\n",                         "",                  "@dockerfile_parse#instruction"                  },
		{"FROM x\n\nRUNN a\n",                  "line 3: ",          "@dockerfile_no_such#1 RUNN ... RUN"             },
		{"FROM x\nVOLUME /data\n",              "line 2: VOLUME: ",  "@refused#directory"                             },
		{"FROM x\nONBUILD RUN a\n",             "line 2: ONBUILD: ", "@refused#builds"                                },
		{"FROM x\nRUN\n",                       "line 2: RUN: ",     "@dockerfile_read_rest#behind"                   },
		{"FROM x\nRUN []\n",                    "line 2: RUN: ",     "@dockerfile_read_rest#empty"                    },
		{"FROM x\nSHELL /bin/sh\n",             "line 2: SHELL: ",   "@dockerfile_read_rest#needed"                   },
		{"FROM x\nRUN --security=insecure a\n",
		 "line 2: RUN: ",					    "@dockerfile_read_flags#here --security=insecure"},
		{"FROM x\nCOPY --parents a b\n",
		 "line 2: COPY: ",					   "@dockerfile_read_flags#understood --parents"    },
		{"FROM x\nCOPY --chown=\"a\" a b\n",
		 "line 2: COPY: ",					   "@dockerfile_read_flags#quotes"                  },
		{"FROM x\nRUN <<EOF\na\n",
		 "line 2: RUN: ",					    "@dockerfile_read_heredocs#missing EOF"          },
		{"FROM x\nRUN <<EOF\n#!/bin/x\nEOF\n",
		 "line 2: RUN: ",					    "@dockerfile_read_heredocs#script"               },
		{"# syntax=other/frontend\nFROM x\n",   "line 1: ",          "@dockerfile_lines_set_syntax"                   },
		{"# escape=/\nFROM x\n",                "line 1: ",          "@dockerfile_lines_set_escape"                   },
		{"FROM x\nRUN \xff\n",                  "",                  "@dockerfile_parse#UTF"                          },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		auto_dockerfile struct dockerfile d;
		struct err e;

		if (!parse(&d, bad[i].text, &e))
			fail_msg("accepted %s", bad[i].text);
		if (!message_is(e.text, bad[i].says) || !strstr(e.text, bad[i].where))
			fail_msg("%s: \"%s\" does not say %s%s", bad[i].text, e.text, bad[i].where,
				 bad[i].says);
	}
}

/* -- words ----------------------------------------------------------------------------------- */

static const char *value(void *context, const char *name)
{
	(void)context;
	if (!strcmp(name, "X"))
		return "x y";
	return !strcmp(name, "EMPTY") ? "" : NULL;
}

static const struct dockerfile_words words = {.escape = '\\', .value = value};

static void test_words_are_expanded_as_docker_does(void **state)
{
	static const char *const pairs[][2] = {
		{"a$X.b",                 "ax y.b"     },
		{"${X}${NONE}",           "x y"        },
		{"$XY-$",                 "-$"         },
		{"${NONE:-d $X}",         "d x y"      },
		{"${EMPTY:-d}${EMPTY-e}", "d"          },
		{"${X:+set}${NONE:+set}", "set"        },
		{"${EMPTY+s}${EMPTY:+t}", "s"          },
		{"'$X' \"$X\" \\$X",      "$X x y $X"  },
		{"\"a\\\"b\\n\\$X\\\\\"", "a\"b\\n$X\\"},
		{"${NONE:-${NONE:-'}'}}", "}"          },
		{"a\\ b",                 "a b"        },
		{"${X?no}${X:?no}",       "x yx y"     },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		auto_buf struct buf out = {0};
		struct err e;

		if (dockerfile_expand(&words, pairs[i][0], &out, &e))
			fail_msg("%s: %s", pairs[i][0], e.text);
		assert_string_equal(buf_string(&out), pairs[i][1]);
	}
}

static void test_other_forms_of_variables_are_refused(void **state)
{
	static const char *const bad[] = {
		"${X",           "${}",
		"${X:=y}",       "${X%y}",
		"${X:-y",        "'a",
		"\"a",           "${X//a/b}",
		"${NONE:?gone}", "${A-${A-${A-${A-${A-${A-${A-${A-${A-}}}}}}}}}"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		auto_buf struct buf out = {0};
		struct err e = {0};

		if (!dockerfile_expand(&words, bad[i], &out, &e))
			fail_msg("accepted %s", bad[i]);
		assert_int_equal(e.kind, ERR_INPUT);
	}
}

static void test_pairs_are_words_or_one_rest(void **state)
{
	auto_list struct list pairs = {0};
	auto_list struct list rest = {0};
	struct err e;

	(void)state;
	assert_int_equal(dockerfile_pairs(&words, "A=1 B=\"b c\" C=d\\ e F=$X G=", &pairs, &e), 0);
	assert_int_equal(pairs.count, 5);
	assert_string_equal(pairs.items[1], "B=b c");
	assert_string_equal(pairs.items[2], "C=d e");
	assert_string_equal(pairs.items[3], "F=x y");
	assert_string_equal(pairs.items[4], "G=");
	assert_int_equal(dockerfile_pairs(&words, "A b  c=d", &rest, &e), 0);
	assert_string_equal(rest.items[0], "A=b  c=d");
	assert_int_equal(dockerfile_pairs(&words, "A=1 B", &rest, &e), -1);
	assert_int_equal(dockerfile_pairs(&words, "A", &rest, &e), -1);
	assert_int_equal(dockerfile_pairs(&words, "'='=1", &rest, &e), -1);
}

static void test_a_value_does_not_grow_for_ever(void **state)
{
	auto_dockerfile struct dockerfile d;
	struct dockerfile_arguments arguments = {0};
	struct dockerfile_state s;
	struct err e = {0};
	int status = 0;

	(void)state;
	parsed(&d, "ENV A=0123456789abcdef\nENV A=$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A$A\n");
	dockerfile_state_init(&s, '\\', &arguments);
	assert_int_equal(dockerfile_state_apply(&s, &d.items[0], &e), 0);
	for (int i = 0; i < 10 && !status; i++)
		status = dockerfile_state_apply(&s, &d.items[1], &e);
	assert_int_equal(status, -1);
	dockerfile_state_fini(&s);
	dockerfile_arguments_fini(&arguments);
}

/* -- what instructions say ------------------------------------------------------------------- */

static void apply_all(struct dockerfile_state *s, const char *text)
{
	auto_dockerfile struct dockerfile d;
	struct err e;

	parsed(&d, text);
	for (size_t i = 0; i < d.count; i++) {
		if (dockerfile_state_apply(s, &d.items[i], &e))
			fail_msg("%s: %s", d.items[i].name, e.text);
	}
}

static void test_arguments_and_variables_have_dockers_order(void **state)
{
	struct dockerfile_arguments arguments = {0};
	struct dockerfile_state s;
	auto_list struct list env = {0};
	struct err e = {0};

	(void)state;
	list_add(&arguments.given, "GIVEN=g");
	list_add(&arguments.given, "HTTP_PROXY=p");
	list_add(&arguments.given, "UNUSED=u");
	list_add(&arguments.global, "GLOBAL=l");
	dockerfile_state_init(&s, '\\', &arguments);
	apply_all(&s,
		  "ARG GIVEN=default OTHER=o GLOBAL UNSET\nARG TARGETOS\nENV OTHER=e\n"
		  "ENV A=1\nENV A=2 B=$A C=$UNUSED\n");
	assert_int_equal(dockerfile_state_environment(&s, &env, &e), 0);
	assert_true(list_has(&env, "GIVEN=g"));
	assert_true(list_has(&env, "OTHER=e"));
	assert_true(list_has(&env, "GLOBAL=l"));
	assert_true(list_has(&env, "TARGETOS=linux"));
	assert_true(list_has(&env, "HTTP_PROXY=p"));
	assert_true(list_has(&env, "A=2"));
	assert_true(list_has(&env, "B=1"));
	assert_true(list_has(&env, "C="));
	assert_true(list_has(&arguments.used, "GIVEN"));
	assert_false(list_has(&arguments.used, "UNUSED"));
	assert_int_equal(s.meta.env.count, 4);
	dockerfile_state_fini(&s);
	dockerfile_arguments_fini(&arguments);
}

static void test_directories_user_and_commands(void **state)
{
	struct dockerfile_arguments arguments = {0};
	struct dockerfile_state s;

	(void)state;
	dockerfile_state_init(&s, '\\', &arguments);
	list_add(&s.meta.cmd, "of-the-base");
	apply_all(&s,
		  "ARG D=b\nWORKDIR /a\nWORKDIR $D/../../../c\nUSER ${NONE:-app}:grp\n"
		  "EXPOSE 80 8000-8010/tcp\nLABEL a=b \"c d\"=e\nSTOPSIGNAL 9\n"
		  "HEALTHCHECK --interval=5s CMD true\nENTRYPOINT [\"x\"]\n");
	assert_string_equal(s.meta.workdir, "/c");
	assert_string_equal(s.meta.user, "app:grp");
	assert_string_equal(s.meta.entrypoint.items[0], "x");
	assert_int_equal(s.meta.cmd.count, 0);
	apply_all(&s, "SHELL [\"/bin/bash\", \"-ec\"]\nCMD echo $HOME\nENTRYPOINT [\"y\"]\n");
	assert_int_equal(s.meta.cmd.count, 3);
	assert_string_equal(s.meta.cmd.items[1], "-ec");
	assert_string_equal(s.meta.cmd.items[2], "echo $HOME");
	dockerfile_state_fini(&s);
	dockerfile_arguments_fini(&arguments);
}

/* -- .dockerignore --------------------------------------------------------------------------- */

static void test_patterns_match_as_gos(void **state)
{
	static const struct {
		const char *pattern;
		const char *path;
		bool matches;
	} rows[] = {
		{"*.py",    "a.py",     true },
		{"*.py",    "a/b.py",   false},
		{"a/*",     "a/b",      true },
		{"a/*",     "a/b/c",    false},
		{"**/*.py", "a/b/c.py", true },
		{"**/*.py", "c.py",     true },
		{"a/**",    "a/b/c",    true },
		{"a/**",    "a",        false},
		{"a/**/z",  "a/z",      true },
		{"a/**/z",  "a/b/c/z",  true },
		{"a?c",     "abc",      true },
		{"[a-c]x",  "bx",       true },
		{"[^a-c]x", "bx",       false},
		{"[a-c",    "a",        false},
		{"\\*",     "*",        true },
		{"\\*",     "a",        false},
		{"a*b*c",   "aXbYbZc",  true },
		{"a*b*c",   "aXbYbZ",   false},
		{"**",      "a/b",      true },
		{"*",       "",         false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (dockerfile_match(rows[i].pattern, rows[i].path) != rows[i].matches)
			fail_msg("%s and %s", rows[i].pattern, rows[i].path);
	}
}

static void test_the_last_pattern_decides(void **state)
{
	static const char text[] =
		"# comment\n\n/secret\n*.log\n!keep.log\n  dir/ \n!dir/kept\n"
		"../outside\n**/node_modules\n";
	struct dockerfile_ignore i;
	struct err e;

	(void)state;
	assert_int_equal(dockerfile_ignore_parse(text, strlen(text), &i, &e), 0);
	assert_true(dockerfile_ignore_has(&i, "secret"));
	assert_true(dockerfile_ignore_has(&i, "secret/below"));
	assert_false(dockerfile_ignore_has(&i, "not/secret"));
	assert_true(dockerfile_ignore_has(&i, "x.log"));
	assert_false(dockerfile_ignore_has(&i, "keep.log"));
	assert_true(dockerfile_ignore_has(&i, "dir/other"));
	assert_false(dockerfile_ignore_has(&i, "dir/kept"));
	assert_false(dockerfile_ignore_has(&i, "outside"));
	assert_true(dockerfile_ignore_has(&i, "a/b/node_modules/c"));
	dockerfile_ignore_fini(&i);
}

static void test_paths_are_cleaned(void **state)
{
	static const char *const rows[][2] = {
		{"/./a//b/", "a/b"},
                {"a/../b",   "b"  },
                {".",        ""   },
                {"a/..",     ""   },
                {"..a",      "..a"},
	};
	auto_free char *out = dockerfile_clean("../a", false);
	auto_free char *root = dockerfile_clean("../../a", true);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		auto_free char *clean = dockerfile_clean(rows[i][0], false);

		assert_string_equal(clean, rows[i][1]);
	}
	assert_null(out);
	assert_string_equal(root, "a");
}

/* -- keys ------------------------------------------------------------------------------------ */

static void key_of(const char *const *parts, size_t count, bool is_list, char out[DIGEST_HEX])
{
	struct digest *d = dockerfile_key_begin("before", "run");
	auto_list struct list l = {0};

	for (size_t i = 0; i < count; i++) {
		if (is_list)
			list_add(&l, parts[i]);
		else
			dockerfile_key_text(d, parts[i]);
	}
	if (is_list)
		dockerfile_key_list(d, &l);
	digest_end(d, out);
}

static void test_no_two_steps_have_one_key(void **state)
{
	static const char *const a[] = {"ab", "c"};
	static const char *const b[] = {"a", "bc"};
	static const char *const c[] = {"1:a", ""};
	static const char *const none[] = {NULL};
	static const char *const empty[] = {""};
	char keys[6][DIGEST_HEX];

	(void)state;
	key_of(a, 2, false, keys[0]);
	key_of(b, 2, false, keys[1]);
	key_of(c, 2, false, keys[2]);
	key_of(a, 2, true, keys[3]);
	key_of(none, 1, false, keys[4]);
	key_of(empty, 1, false, keys[5]);
	for (int i = 0; i < 6; i++) {
		for (int j = 0; j < i; j++)
			assert_string_not_equal(keys[i], keys[j]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_are_joined_and_comments_left_out),
		cmocka_unit_test(test_directives_stand_at_the_top),
		cmocka_unit_test(test_flags_stand_before_the_words),
		cmocka_unit_test(test_heredocs_are_read),
		cmocka_unit_test(test_what_is_not_understood_is_refused_with_its_line),
		cmocka_unit_test(test_words_are_expanded_as_docker_does),
		cmocka_unit_test(test_other_forms_of_variables_are_refused),
		cmocka_unit_test(test_pairs_are_words_or_one_rest),
		cmocka_unit_test(test_a_value_does_not_grow_for_ever),
		cmocka_unit_test(test_arguments_and_variables_have_dockers_order),
		cmocka_unit_test(test_directories_user_and_commands),
		cmocka_unit_test(test_patterns_match_as_gos),
		cmocka_unit_test(test_the_last_pattern_decides),
		cmocka_unit_test(test_paths_are_cleaned),
		cmocka_unit_test(test_no_two_steps_have_one_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
