/*
 * under_valgrind - a test that does what valgrind cannot follow ends there, with the reason.
 */
#ifndef GLOVEBOX_TESTS_UNDER_VALGRIND_H
#define GLOVEBOX_TESTS_UNDER_VALGRIND_H

#include <stdio.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

/* For a test that would fail there, whatever is tested: skip it. */
#define needs_no_valgrind(why)                                                                     \
	do {                                                                                       \
		if (RUNNING_ON_VALGRIND) {                                                         \
			printf("cannot: under valgrind %s\n", (why));                              \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

#endif
