/*
 * http_text - split and compare pieces of an HTTP head.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_PROTOCOL_HTTP_TEXT_H
#define GLOVEBOX_PROTOCOL_HTTP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Borrowed, not terminated; hostile bytes. */
struct http_text {
	const char *at;
	size_t size;
};

/* ASCII only. */
bool http_is_digit(char c);

/* Whether a character may stand in a method or in the name of a field: RFC 9110, 5.6.2. */
bool http_is_token(char c);

/* Whether the text equals this word. */
bool http_text_is(struct http_text text, const char *word);

/* The same, ignoring case. */
bool http_text_is_like(struct http_text text, const char *word);

/* Remove the blanks on both ends. */
struct http_text http_text_trim(struct http_text text);

/*
 * http_text_next - take the next item off a list, without blanks around it. Separators between
 * quotes do not count. An empty list has one empty item. false: the end.
 */
bool http_text_next(struct http_text *list, char separator, struct http_text *item);

#endif
