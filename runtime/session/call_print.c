/*
 * call_print - print the result of a call for people.
 */
#include "session/call_print.h"

#include <stdio.h>

#include "base/say.h"

static void call_print_part(void *to, const char *text)
{
	say_lines(to, text);
}

int call_print(const struct call_result *r)
{
	call_result_displays(r, call_print_part, stdout);
	if (r->value) {
		say_lines(stdout, r->value);
		putchar('\n');
	}
	call_result_traceback(r, call_print_part, stderr);
	return r->exit_code;
}
