/*
 * call_text - read calls that are not JSON, from the tool's name on.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_CALL_TEXT_H
#define GLOVEBOX_AGENT_CALL_TEXT_H

#include <stddef.h>

enum call_text {
	CALL_TEXT_NONE,       /* the name is part of a sentence */
	CALL_TEXT_OBJECT,     /* execute_python {"code": ...} */
	CALL_TEXT_PARAMETERS, /* <function=execute_python><parameter=code>... */
	CALL_TEXT_LITERAL,    /* execute_python(code="...") */
};

/*
 * call_text_form - the form of the call whose name ends at `after`.
 * @at  out: the start of its arguments.
 */
enum call_text call_text_form(const char *text, size_t after, size_t length, size_t *at);

/* Return the value of a Python string, given without quotes; owned. */
char *call_text_unescape(const char *p, size_t length);

/* Return the code, owned; `end`: its end. NULL: unreadable. */
char *call_text_parameter(const char *text, size_t at, size_t length, size_t *end);
char *call_text_literal(const char *text, size_t at, size_t length, size_t *end);

#endif
