/*
 * test_system_program - which programs are found in another root, and how the advice names ours.
 */
#include "unit.h"

#include <pwd.h>

#include "host/system_program.h"

static int base = -1;

static int begin(void **state)
{
	(void)state;
	base = unit_enter();
	return 0;
}

static int end(void **state)
{
	(void)state;
	unit_leave(base);
	return 0;
}

static void test_it_must_be_a_program_in_there(void **state)
{
	(void)state;
	assert_false(system_program_exists(base, "sh"));
	assert_int_equal(mkdirat(base, "usr", 0755) | mkdirat(base, "usr/bin", 0755), 0);
	assert_int_equal(symlinkat("/usr/bin", base, "bin"), 0);
	close(openat(base, "usr/bin/sh", O_CREAT | O_WRONLY, 0644));
	assert_false(system_program_exists(base, "sh"));
	assert_int_equal(fchmodat(base, "usr/bin/sh", 0755, 0), 0);
	assert_true(system_program_exists(base, "sh"));
	assert_int_equal(mkdirat(base, "usr/bin/env", 0755), 0);
	assert_false(system_program_exists(base, "env"));
	/* Links of that root stay in that root. */
	assert_int_equal(symlinkat("/bin/sh", base, "usr/bin/dash"), 0);
	assert_int_equal(symlinkat("/../../../../usr/bin/env", base, "usr/bin/up"), 0);
	assert_true(system_program_exists(base, "dash"));
	assert_false(system_program_exists(base, "up"));
}

static void test_of_this_machine(void **state)
{
	(void)state;
	assert_true(system_program_exists(-1, "env"));
	assert_false(system_program_exists(-1, "no-such-program"));
}

/* This test is not installed, and lies beside no glovebox, which is nobody's business here. */
static void test_what_sudo_does_not_find_is_named_by_its_path(void **state)
{
	const struct passwd *pw = getpwuid(geteuid());
	char out[SYSTEM_PROGRAM_SETUP_SIZE];
	char wanted[512] = "sudo ";
	ssize_t n = readlink("/proc/self/exe", wanted + 5, 400);

	(void)state;
	assert_true(n > 0);
	strcpy(strrchr(wanted, '/'), "/glovebox setup user ");
	/* The user has a name: "setup user 1001" makes a person look the number up. */
	if (pw)
		strcat(wanted, pw->pw_name);
	else
		sprintf(wanted + strlen(wanted), "%u", geteuid());
	if (strlen(wanted) < 180)
		assert_string_equal(system_program_setup(out), wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_it_must_be_a_program_in_there, begin, end),
		cmocka_unit_test(test_of_this_machine),
		cmocka_unit_test(test_what_sudo_does_not_find_is_named_by_its_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
