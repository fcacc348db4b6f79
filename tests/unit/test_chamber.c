/*
 * test_chamber - a step of a build that does not end by itself is killed at its limit.
 */
#include "unit.h"

#include <signal.h>

#include "../../rootfs/archive/interrupt.h"
#include "../../rootfs/chamber/scratch.h"
#include "../../rootfs/debian/debian_steps.h"

static struct err e;
static struct subids ids;
static struct scratch scratch;

static bool cannot; /* an ordinary user may lack subordinate ids: e says so */

static int make_build(void **state)
{
	(void)state;
	cannot = subids_choose(&ids, &e) || scratch_make(&scratch, &ids, &e);
	return cannot && !geteuid() ? -1 : 0;
}

static int remove_build(void **state)
{
	(void)state;
	if (!cannot)
		scratch_remove(&scratch, &ids);
	return 0;
}

static void skip_without_build(void)
{
	needs_no_valgrind("a child with another root cannot open the file for what is found");
	if (!cannot)
		return;
	print_message("cannot: %s\n", e.text);
	skip();
}

/* A program that takes no notice of signals, and leaves another one behind. */
static int start_endless(unsigned limit_s, struct chamber *out)
{
	static const char *const argv[] = {"sh", "-c",
					   "trap '' ALRM TERM INT HUP; sleep 10000 & sleep 10000"};
	struct chamber_inputs inputs = {.build = scratch.build};
	struct chamber_step step = {
		.name = "finish", .ids = &ids, .inputs = &inputs, .limit_s = limit_s};
	int status;

	for (size_t i = 0; i < COUNT(argv); i++)
		list_add(&step.argv, argv[i]);
	list_add(&step.env, "PATH=/usr/bin:/bin");
	status = chamber_start(&step, out, &e);
	debian_step_fini(&step);
	return status;
}

static void test_a_step_that_does_not_end_is_killed(void **state)
{
	struct chamber c;

	(void)state;
	skip_without_build();
	accepts(start_endless(1, &c), "a limit");
	refuses(chamber_finish(&c, false, &e), "a limit", ERR_SYSTEM,
		"@chamber_finish#within finish ... 1");
	assert_int_equal(kill(c.pid, 0), -1);
}

/* The same program where the limit is left out. */
static void test_a_step_without_a_limit_goes_on(void **state)
{
	struct chamber c;

	(void)state;
	skip_without_build();
	accepts(start_endless(0, &c), "no limit");
	for (int i = 0; i < 1200 / INTERRUPT_LOOK_MS; i++)
		assert_false(interrupt_await(c.pid_fd));
	accepts(chamber_finish(&c, true, &e), "abandoned");
}

static void test_the_step_that_imports_modules_has_a_limit(void **state)
{
	struct recipe recipe = {0};
	struct debian_request q = {.recipe = &recipe, .suite = "sid"};
	struct chamber_step step;

	(void)state;
	accepts(debian_step(&q, STEP_FINISH, &step, &e), "finish");
	assert_int_equal(step.limit_s, 3600);
	assert_false(step.piped);
	debian_step_fini(&step);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_step_that_does_not_end_is_killed),
		cmocka_unit_test(test_a_step_without_a_limit_goes_on),
		cmocka_unit_test(test_the_step_that_imports_modules_has_a_limit),
	};

	return cmocka_run_group_tests(tests, make_build, remove_build);
}
