/*
 * parameter - parse parameters of a MIME header: "; KEY=VALUE", as in Content-Type and
 * Content-Disposition (RFC 2045, 5.1).
 */
#include "web/parameter.h"

#include <string.h>

#define BLANK " \t"

char *parameter_skip_blank(char *at)
{
	char *comment = at;
	unsigned depth = 0;

	for (; *at; at++) {
		if (!depth)
			comment = at;
		if (*at == '(')
			depth++;
		else if (depth && *at == ')')
			depth--;
		else if (depth && *at == '\\' && at[1])
			at++;
		else if (!depth && !strchr(BLANK, *at))
			return at;
	}
	return depth ? comment : at;
}

/*
 * Unquote in place. Returns the text behind the closing quote; NULL: there is none. A backslash
 * before the last quote of the line is literal: browsers do not escape it, and otherwise the string
 * would not end.
 */
static char *parameter_unquote(char *at)
{
	char *to = at;

	for (; *at != '"'; at++) {
		if (*at == '\\' && (at[1] == '\\' || (at[1] == '"' && at[2])))
			at++;
		if (!*at)
			return NULL;
		*to++ = *at;
	}
	*to = '\0';
	return at + 1;
}

/* Terminates the value and returns the text behind it; NULL: the value contains a quote. */
static char *parameter_end_unquoted(char *value)
{
	char *end = value + strcspn(value, ";" BLANK);
	char *rest = parameter_skip_blank(end);

	if (*rest && *rest != ';') { /* more than a token and comments */
		rest = value + strcspn(value, ";");
		for (end = rest; strchr(BLANK, end[-1]);)
			end--;
	}
	if (memchr(value, '"', (size_t)(end - value)))
		return NULL;
	rest += *rest == ';';
	*end = '\0';
	return rest;
}

int parameter_next(char **at, struct parameter *p, struct err *e)
{
	char *end;

	p->key = parameter_skip_blank(*at);
	while (*p->key == ';')
		p->key = parameter_skip_blank(p->key + 1);
	if (!*p->key)
		return 0;
	if (++p->number > PARAMETERS_MAX)
		return err_input(e, "a header has more than %d parameters", PARAMETERS_MAX);
	end = p->key + strcspn(p->key, "=;(" BLANK);
	p->value = parameter_skip_blank(end);
	if (end == p->key || *p->value != '=')
		return err_input(e, "the parameter %.40s has no name or no value: write NAME=VALUE",
				 p->key);
	p->value = parameter_skip_blank(p->value + 1);
	*end = '\0';
	p->was_quoted = *p->value == '"';
	*at = p->was_quoted ? parameter_unquote(++p->value) : parameter_end_unquoted(p->value);
	if (!*at)
		return err_input(e, "the value of %.40s has one quote too few or too many", p->key);
	*at = parameter_skip_blank(*at);
	if (p->was_quoted && **at && **at != ';')
		return err_input(e, "behind the value of %.40s a semicolon is missing", p->key);
	return 1;
}
