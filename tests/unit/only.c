/*
 * only - run those tests of a program that $UNIT_ONLY, a pattern, names; linked into each of them.
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
