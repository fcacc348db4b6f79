/*
 * http_text - split and compare pieces of an HTTP head.
 */
#include "protocol/http_text.h"

#include <string.h>
#include <strings.h>

bool http_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool http_is_token(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || http_is_digit(c) ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

bool http_text_is(struct http_text text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.at, word, text.size);
}

bool http_text_is_like(struct http_text text, const char *word)
{
	return text.size == strlen(word) && !strncasecmp(text.at, word, text.size);
}

struct http_text http_text_trim(struct http_text text)
{
	while (text.size && (text.at[0] == ' ' || text.at[0] == '\t'))
		text = (struct http_text){text.at + 1, text.size - 1};
	while (text.size && (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == '\t'))
		text.size--;
	return text;
}

bool http_text_next(struct http_text *list, char separator, struct http_text *item)
{
	bool is_quoted = false;
	size_t end = 0;

	if (!list->at)
		return false;
	for (; end < list->size && (is_quoted || list->at[end] != separator); end++)
		is_quoted ^= list->at[end] == '"';
	*item = http_text_trim((struct http_text){list->at, end});
	*list = end == list->size ? (struct http_text){NULL, 0}
				  : (struct http_text){list->at + end + 1, list->size - end - 1};
	return true;
}
