/*
 * only - run only the tests whose names match the pattern $UNIT_ONLY; linked into every test
 * program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void choose(void)
{
	const char *name = getenv("UNIT_ONLY");

	if (name)
		cmocka_set_test_filter(name);
}
