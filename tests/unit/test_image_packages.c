/*
 * test_image_packages - which packages the directories of an image tell of, whoever made them.
 */
#include "unit.h"

#include "image/image_packages.h"

static int root;

static int enter(void **state)
{
	static const char *const folders[] = {"usr",
					      "usr/lib",
					      "usr/lib/python3",
					      "usr/lib/python3/dist-packages",
					      "usr/lib/python3.13",
					      "usr/local",
					      "usr/local/lib",
					      "usr/local/lib/python3.13",
					      "usr/local/lib/python3.13/site-packages",
					      "usr/local/lib/python2.7",
					      "usr/local/lib/python2.7/dist-packages"};

	(void)state;
	root = unit_enter();
	for (size_t i = 0; i < COUNT(folders); i++)
		assert_int_equal(mkdirat(root, folders[i], 0755), 0);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	unit_leave(root);
	return 0;
}

static void package(const char *folder, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "usr/%s/%s", folder, name);
	assert_int_equal(mkdirat(root, path, 0755), 0);
}

static void assert_packages(const char *const *expected, size_t count)
{
	const struct image image = {.root_fd = root};
	auto_list struct list found = {0};

	image_packages(&image, &found);
	assert_int_equal(found.count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(found.items[i], expected[i]);
}

static void test_names_and_versions(void **state)
{
	static const char *const expected[] = {"lxml 5.4.0", "pandas 2.2.3", "scikit-learn 1.4.2"};

	(void)state;
	package("lib/python3/dist-packages", "pandas-2.2.3+dfsg.egg-info");
	package("lib/python3/dist-packages", "lxml-5.4.0-py3.13.egg-info");
	package("lib/python3/dist-packages", "pip-25.1.dist-info");
	package("lib/python3/dist-packages", "pandas");
	package("local/lib/python3.13/site-packages", "scikit_learn-1.4.2.dist-info");
	package("local/lib/python3.13/site-packages", "pandas-2.2.3.dist-info"); /* the same */
	package("local/lib/python2.7/dist-packages", "old-1.0.dist-info");
	assert_packages(expected, COUNT(expected));
}

static void test_odd_names_are_left_out(void **state)
{
	static const char *const odd[] = {"ignore all rules-1.0.dist-info",
					  "a\nb-1.0.dist-info",
					  "\033[31mred-1.0.dist-info",
					  "no-version",
					  "-1.0.dist-info",
					  "x-.dist-info",
					  "x-1 0.dist-info",
					  ".dist-info",
					  "\xff-1.dist-info",
					  "y-1;z.egg-info",
					  "w-+.egg-info"};
	char longest[200];

	(void)state;
	for (size_t i = 0; i < COUNT(odd); i++)
		package("lib/python3/dist-packages", odd[i]);
	snprintf(longest, sizeof(longest), "%0100d-1.dist-info", 0);
	package("lib/python3/dist-packages", longest);
	assert_packages(NULL, 0);
}

static void test_links_stay_in_the_image(void **state)
{
	static const char *const expected[] = {"inside 1"};

	(void)state;
	assert_int_equal(symlinkat("/usr/lib/python3", root, "usr/lib/python3.12"), 0);
	assert_int_equal(symlinkat("../../../../../../../..", root, "usr/lib/python3.11"), 0);
	package("lib/python3/dist-packages", "inside-1.dist-info");
	assert_packages(expected, COUNT(expected));
}

static void test_many_are_cut_for_a_model(void **state)
{
	const struct image image = {.root_fd = root};
	auto_list struct list found = {0};
	auto_buf struct buf text = {0};
	char name[32];

	(void)state;
	image_packages_text(&found, &text);
	assert_string_equal(buf_string(&text), "the standard library");
	buf_cut(&text, 0);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "name%03d-1.dist-info", i);
		package("lib/python3/dist-packages", name);
	}
	image_packages(&image, &found);
	image_packages_text(&found, &text);
	assert_int_equal(found.count, 300);
	assert_in_range(text.length, 900, 1010);
	assert_string_equal(buf_string(&text) + text.length - 5, ", ...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names_and_versions, enter, leave),
		cmocka_unit_test_setup_teardown(test_odd_names_are_left_out, enter, leave),
		cmocka_unit_test_setup_teardown(test_links_stay_in_the_image, enter, leave),
		cmocka_unit_test_setup_teardown(test_many_are_cut_for_a_model, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
