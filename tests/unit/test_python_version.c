/*
 * test_python_version - which version of Python a root has, by its links.
 */
#include "unit.h"

#include "../../rootfs/debian/python_version.h"

static int root = -1;

static int make_root(void **state)
{
	(void)state;
	root = unit_enter();
	return mkdirat(root, "usr", 0755) || mkdirat(root, "usr/bin", 0755);
}

static int remove_root(void **state)
{
	(void)state;
	unit_leave(root);
	return 0;
}

static void test_the_link_says_it(void **state)
{
	static const struct {
		const char *target;
		const char *version; /* NULL: unknown */
	} cases[] = {
		{"python3.9",            "3.9"   },
		{"python3.13",           "3.13"  },
		{"python10.200",         "10.200"},
		{"/usr/bin/python3.11",  "3.11"  },
		{"../local/python3.14",  "3.14"  },
		{"python3",              NULL    },
		{"python3.",             NULL    },
		{"python.3",             NULL    },
		{"python3.13t",          NULL    },
		{"python3.13/",          NULL    },
		{"python3.1/../../evil", NULL    },
		{"python3.13:x",         NULL    },
		{"python3.12345678",     NULL    },
		{"pypy3.10",             NULL    },
		{"/",                    NULL    },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char version[PYTHON_VERSION_SIZE] = "-";
		int status;

		assert_int_equal(symlinkat(cases[i].target, root, "usr/bin/python3"), 0);
		status = python_version(root, version);
		assert_int_equal(unlinkat(root, "usr/bin/python3", 0), 0);
		if (status != (cases[i].version ? 0 : -1))
			fail_msg("%s: %d", cases[i].target, status);
		assert_string_equal(version, cases[i].version ? cases[i].version : "-");
	}
}

static void test_without_a_link_there_is_none(void **state)
{
	char version[PYTHON_VERSION_SIZE];

	(void)state;
	assert_int_equal(python_version(root, version), -1);
	unit_write(root, "usr/bin/python3", "x", 1);
	assert_int_equal(python_version(root, version), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_link_says_it),
		cmocka_unit_test(test_without_a_link_there_is_none),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
