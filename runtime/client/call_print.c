/*
 * call_print - the result of a call, for people.
 */
#include "client/call_print.h"

#include <stdio.h>

#include "base/say.h"

int call_print(const struct call_result *r)
{
	if (r->displays.length)
		say_lines(stdout, buf_string(&r->displays));
	if (r->value) {
		say_lines(stdout, r->value);
		putchar('\n');
	}
	if (r->traceback)
		say_lines(stderr, r->traceback);
	return r->exit_code;
}
