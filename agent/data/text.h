/*
 * text - steps through a text that has a length: its lines, its words, its white space.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_TEXT_H
#define GLOVEBOX_AGENT_TEXT_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/*
 * Does it begin with this word, in any case of letters?
 * @left  bytes at p; what follows them is not read.
 */
static inline bool text_begins(const char *p, size_t left, const char *word)
{
	size_t n = strlen(word);

	return left >= n && !strncasecmp(p, word, n);
}

/* Where the line of i ends: its newline, or the end of the text. */
static inline size_t text_line_end(const char *text, size_t i, size_t length)
{
	const char *newline = i < length ? memchr(text + i, '\n', length - i) : NULL;

	return newline ? (size_t)(newline - text) : length;
}

/* Where the next line begins, or the end of the text. */
static inline size_t text_next_line(const char *text, size_t i, size_t length)
{
	size_t end = text_line_end(text, i, length);

	return end < length ? end + 1 : length;
}

/* How many times the character at i stands there. */
static inline size_t text_run(const char *text, size_t i, size_t length)
{
	size_t n = 0;

	while (i + n < length && text[i + n] == text[i])
		n++;
	return n;
}

/* Where the first of other characters than these is, from i on. */
static inline size_t text_pass(const char *text, size_t i, size_t end, const char *these)
{
	while (i < end && text[i] && strchr(these, text[i]))
		i++;
	return i;
}

/* What a name may contain; every byte beyond ASCII counts. */
static inline bool text_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Where the word at i ends; i: there is none. */
static inline size_t text_pass_word(const char *text, size_t i, size_t end)
{
	while (i < end && text_is_word(text[i]))
		i++;
	return i;
}

/* Is this word in a list of words, each with a blank before and after it? */
static inline bool text_is_listed(const char *list, const char *word, size_t length)
{
	const char *found = length ? list : NULL;

	while (found && (found = memmem(found, strlen(found), word, length)))
		if (found[-1] == ' ' && found[length] == ' ')
			return true;
		else
			found++;
	return false;
}

/* Leave out white space at both ends. */
static inline void text_trim(const char *text, size_t *start, size_t *end)
{
	while (*start < *end && isspace((unsigned char)text[*start]))
		++*start;
	while (*end > *start && isspace((unsigned char)text[*end - 1]))
		--*end;
}

#endif
