/*
 * message_list - is a text what it should be? By tests/messages.txt, without its sentence.
 *
 * What a test expects of a message is either a thing that must be named in it ("--memory", a path,
 * a number) or, where other refusals name the same, the function that makes it, as the list has it:
 *
 *	"@parse_octal"                  the only message of that function, or any of them
 *	"@parse_octal#digit"            the one with this word
 *	"@parse_octal#2"                the second one, where another has all of its words
 *	"@parse_size#small 6m ... 1g"   in which 6m is named, and behind it 1g
 */
#ifndef GLOVEBOX_TESTS_MESSAGE_LIST_H
#define GLOVEBOX_TESTS_MESSAGE_LIST_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_LIST "tests/messages.txt"

static char message_list_text[1 << 20];

/*
 * Read it first: the runner begins a program in the project's directory, and some tests leave that,
 * or become a user who may not read it.
 */
__attribute__((constructor)) static inline void message_list_read(void)
{
	FILE *file = fopen(MESSAGE_LIST, "re");

	if (!file)
		return;
	message_list_text[fread(message_list_text, 1, sizeof(message_list_text) - 1, file)] = '\0';
	fclose(file);
}

/* The list, terminated. */
static inline const char *message_list(void)
{
	if (!message_list_text[0]) {
		fprintf(stderr, "%s cannot be read: make messages\n", MESSAGE_LIST);
		abort();
	}
	return message_list_text;
}

/* The character at *p, as C spells it in a format; *p is moved behind it. */
static inline char message_take_character(const char **p)
{
	const bool is_escaped = **p == '%' || **p == '\\';
	const char c = *(*p += is_escaped);

	++*p;
	return is_escaped && c == 'n' ? '\n' : c;
}

/* Are the words of the format, up to its line's end, in the text, in their order? */
static inline bool message_fits(const char *format, const char *text)
{
	char words[1000];
	size_t length = 0;
	bool has_word = false;

	while (text && *format != '\n') {
		for (length = 0; *format != '\n' && length < sizeof(words) - 1; length++) {
			if (*format == '%' && format[1] != '%')
				break;
			words[length] = message_take_character(&format);
			has_word |= isalpha((unsigned char)words[length]);
		}
		words[length] = '\0';
		text = strstr(text, words);
		text = text ? text + length : NULL;
		if (*format == '%' && format[1] != '%') {
			format += 1 + strspn(format + 1, "-+ #0123456789.*hlzjt");
			format++;
		}
	}
	return text && has_word;
}

/* Are all things named, one behind the other? @things  "6m ... 1g"; "": there are none. */
static inline bool message_names(const char *things, const char *text)
{
	while (text && *things) {
		const char *end = strstr(things, " ... ");
		size_t length = end ? (size_t)(end - things) : strlen(things);
		char thing[500];

		snprintf(thing, sizeof(thing), "%.*s", (int)length, things);
		text = strstr(text, thing);
		text = text ? text + length : NULL;
		things += length + (end ? strlen(" ... ") : 0);
	}
	return text != NULL;
}

/* Is it the row that the key behind '#' says: its @number, or a word of it? */
static inline bool message_has_key(const char *key, size_t size, long number, const char *format)
{
	const char *at = size ? memmem(format, strcspn(format, "\n"), key, size) : format;

	return size && isdigit((unsigned char)*key) ? strtol(key, NULL, 10) == number : at != NULL;
}

/* Is it one of the function's messages? @name  "parse_octal" or "parse_octal#digit", up to @length.
 */
static inline bool message_is_of(const char *name, size_t length, const char *text)
{
	const char *mark = memchr(name, '#', length);
	const size_t size = mark ? (size_t)(mark - name) : length;
	const char *key = mark ? mark + 1 : name + length;
	long number = 0;

	for (const char *line = message_list(); *line; line = strchr(line, '\n') + 1) {
		const char *file = strchr(line, '\t') + 1;
		const char *function = strchr(file, '\t') + 1;
		const char *format = strchr(function, '\t') + 1;

		if ((size_t)(format - 1 - function) != size || strncmp(function, name, size) != 0)
			continue;
		if (message_has_key(key, (size_t)(name + length - key), ++number, format) &&
		    message_fits(format, text))
			return true;
	}
	return false;
}

/* Is the text what @wanted says? See above. */
static inline bool message_is(const char *text, const char *wanted)
{
	size_t length = strcspn(wanted, " ");

	if (*wanted != '@')
		return strstr(text, wanted) != NULL;
	return message_is_of(wanted + 1, length - 1, text) &&
	       message_names(wanted[length] ? wanted + length + 1 : "", text);
}

#endif
