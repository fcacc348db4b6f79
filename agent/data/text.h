/*
 * text - step through the lines, words and blanks of a text with a length.
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
 * Whether a text begins with this word, ignoring case.
 * @left  bytes at p; bytes behind them are not read.
 */
static inline bool text_begins(const char *p, size_t left, const char *word)
{
	size_t n = strlen(word);

	return left >= n && !strncasecmp(p, word, n);
}

/* Return the end of the line of i: its newline, or the end of the text. */
static inline size_t text_line_end(const char *text, size_t i, size_t length)
{
	const char *newline = i < length ? memchr(text + i, '\n', length - i) : NULL;

	return newline ? (size_t)(newline - text) : length;
}

/* Return the start of the next line, or the end of the text. */
static inline size_t text_next_line(const char *text, size_t i, size_t length)
{
	size_t end = text_line_end(text, i, length);

	return end < length ? end + 1 : length;
}

/* Count repetitions of the character at i. */
static inline size_t text_run(const char *text, size_t i, size_t length)
{
	size_t n = 0;

	while (i + n < length && text[i + n] == text[i])
		n++;
	return n;
}

/* Skip these characters from i on. */
static inline size_t text_pass(const char *text, size_t i, size_t end, const char *these)
{
	while (i < end && text[i] && strchr(these, text[i]))
		i++;
	return i;
}

/* Whether a name may contain this character; every byte beyond ASCII counts. */
static inline bool text_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Return the end of the word at i; i: there is none. */
static inline size_t text_pass_word(const char *text, size_t i, size_t end)
{
	while (i < end && text_is_word(text[i]))
		i++;
	return i;
}

/* Whether a word is in a list with a blank around each word. */
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

/* Trim white space at both ends. */
static inline void text_trim(const char *text, size_t *start, size_t *end)
{
	while (*start < *end && isspace((unsigned char)text[*start]))
		++*start;
	while (*end > *start && isspace((unsigned char)text[*end - 1]))
		--*end;
}

#endif
