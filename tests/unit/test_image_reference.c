/*
 * test_image_reference - names of images, by Docker's grammar.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/own.h"
#include "image/image_reference.h"
#include "message_list.h"

struct pair {
	const char *text;
	const char *canonical;
};

static void test_accepted_names_have_one_form(void **state)
{
	static const struct pair pairs[] = {
		{"python",                         "python:latest"            },
		{"python:3.12",                    "python:3.12"              },
		{"docker.io/library/python:3.12",  "python:3.12"              },
		{"docker.io/python",               "python:latest"            },
		{"index.docker.io/library/python", "python:latest"            },
		{"docker.io/team/app",             "team/app:latest"          },
		{"docker.io/library/a/b",          "library/a/b:latest"       },
		{"library/python",                 "library/python:latest"    },
		{"ghcr.io/team/app:v1",            "ghcr.io/team/app:v1"      },
		{"localhost/app",                  "localhost/app:latest"     },
		{"localhost:5000/app",             "localhost:5000/app:latest"},
		{"Reg.Example:5000/a",             "Reg.Example:5000/a:latest"},
		{"a.b-c_d__e---f",                 "a.b-c_d__e---f:latest"    },
		{"x:A_b.c-D",                      "x:A_b.c-D"                },
		{"0",			      "0:latest"                 },
		{"code-sandbox:latest",            "code-sandbox:latest"      },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		auto_free char *out = NULL;
		struct err e = {0};

		assert_int_equal(image_reference(pairs[i].text, &out, &e), 0);
		assert_string_equal(out, pairs[i].canonical);
	}
}

static void test_refused_names_are_named(void **state)
{
	static const char *const names[] = {
		"",
		"Python",
		"a//b",
		"/a",
		"a/",
		"a:",
		":a",
		"a::b",
		"a b",
		"a\nb",
		"..",
		"../a",
		"a/../b",
		".a",
		"a.",
		"a..b",
		"a___b",
		"-a",
		"a-",
		"_a",
		"a:-b",
		"a:.b",
		"a:b/c",
		"a.b:x/c",
		"a.b:/c",
		".b/c",
		"a./c",
		"-a.b/c",
		"a+b",
		"caf\xc3\xa9",
		"a@sha256:0",
		"docker.io/",
		"docker.io/library/",
		"a\\b",
		"a%2fb",
		"a:b\x01",
		"http://a/b",
		"docker.io/docker.io/library/a",
		"docker.io/b.c/a",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *out = NULL;
		struct err e = {0};

		if (!image_reference(names[i], &out, &e))
			fail_msg("accepted \"%s\" as \"%s\"", names[i], out);
		assert_int_equal(e.kind, ERR_INPUT);
		assert_true(message_is(e.text, "@image_reference"));
	}
}

static void test_length_is_bounded(void **state)
{
	char name[300];

	(void)state;
	for (size_t length = 240; length < 260; length++) {
		auto_free char *out = NULL;
		struct err e = {0};

		memset(name, 'a', length);
		name[length] = '\0';
		/* ":latest" is part of the file's name in the store. */
		assert_int_equal(image_reference(name, &out, &e), length + 7 <= 255 ? 0 : -1);
	}
}

static void test_tag_is_at_most_128_bytes(void **state)
{
	char name[200];

	(void)state;
	for (size_t length = 127; length < 131; length++) {
		auto_free char *out = NULL;
		struct err e = {0};

		snprintf(name, sizeof(name), "a:%0*d", (int)length, 0);
		assert_int_equal(image_reference(name, &out, &e), length <= 128 ? 0 : -1);
	}
}

/* With any byte at any position, a short name never leads out of the store's directory. */
static void test_no_accepted_name_is_more_than_one_file_name(void **state)
{
	(void)state;
	for (int a = 1; a < 256; a++) {
		for (int b = 1; b < 256; b++) {
			const char name[] = {(char)a, (char)b, 'x', '\0'};
			auto_free char *out = NULL;
			struct err e = {0};

			if (image_reference(name, &out, &e))
				continue;
			assert_true(out[0] != '.' && out[0] != '/');
			assert_null(strstr(out, ".."));
			assert_null(strchr(out, '+'));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted_names_have_one_form),
		cmocka_unit_test(test_refused_names_are_named),
		cmocka_unit_test(test_length_is_bounded),
		cmocka_unit_test(test_tag_is_at_most_128_bytes),
		cmocka_unit_test(test_no_accepted_name_is_more_than_one_file_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
