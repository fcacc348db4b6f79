/*
 * http_text - a piece of a head of HTTP, and the pieces of it.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_HTTP_TEXT_H
#define GLOVEBOX_EGRESS_HTTP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Borrowed, without an end of its own. Its bytes are hostile. */
struct http_text {
	const char *at;
	size_t size;
};

/* ASCII only. */
bool http_is_digit(char c);

/* Whether a character may stand in a method or in the name of a field: RFC 9110, 5.6.2. */
bool http_is_token(char c);

/* Whether it is this word. */
bool http_text_is(struct http_text text, const char *word);

/* The same in any case of letters. */
bool http_text_is_like(struct http_text text, const char *word);

/* Without the blanks around it. */
struct http_text http_text_trim(struct http_text text);

/*
 * http_text_next - the next item of a list, without blanks around it. A separator between quotes is
 * none. Each list has an item; that of an empty one is empty. false: there are no more.
 */
bool http_text_next(struct http_text *list, char separator, struct http_text *item);

#endif
