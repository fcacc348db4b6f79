/*
 * numbers - find the numbers of an answer that the model was never shown.
 */
#include "agent/reply/numbers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/data/text.h"
#include "agent/reply/fences.h"
#include "base/own.h"

#define TOKEN_BYTES 40  /* longer runs of digits are identifiers */
#define LOOKED_AT   200 /* checked numbers of an answer */

#define SEPARATORS  ".,'_"

/* One reading of a number. */
struct number {
	double value;
	double unit; /* the value of one unit in its last digit */
};

static const struct scale {
	const char *name;
	double factor;
} scales[] = {
	{"%",        0.01      },
        {"percent",  0.01      },
        {"k",        1e3       },
        {"thousand", 1e3       },
	{"m",        1e6       },
        {"mn",       1e6       },
        {"million",  1e6       },
        {"bn",       1e9       },
	{"b",        1e9       },
        {"billion",  1e9       },
        {"kb",       1e3       },
        {"kib",      1024      },
	{"kb",       1024      },
        {"mb",       1e6       },
        {"mib",      1048576   },
        {"mb",       1048576   },
	{"gb",       1e9       },
        {"gib",      1073741824},
        {"ms",       1e-3      },
        {"minutes",  60        },
	{"hours",    3600      },
};

/* Return the end of the digits and separators at i; it is behind a digit. */
static size_t numbers_token_end(const char *text, size_t i, size_t length)
{
	size_t end = i;

	for (; i < length && text[i]; i++) {
		if (isdigit((unsigned char)text[i]))
			end = i + 1;
		else if (!strchr(SEPARATORS, text[i]) || end != i)
			break;
	}
	return end;
}

/* Read an exponent: e-05. */
static size_t numbers_exponent_end(const char *text, size_t i, size_t length)
{
	size_t digits = i + 1;

	if (i >= length || (text[i] | 32) != 'e')
		return i;
	if (digits < length && strchr("+-", text[digits]))
		digits++;
	if (digits >= length || !isdigit((unsigned char)text[digits]))
		return i;
	while (digits < length && isdigit((unsigned char)text[digits]))
		digits++;
	return digits;
}

static double numbers_power_of_ten(long exponent)
{
	double power = 1;

	for (long i = 0; i < labs(exponent) && i < 300; i++)
		power = exponent < 0 ? power / 10 : power * 10;
	return power;
}

/* Read with one separator as the decimal point, and drop the others. 0: a whole number. */
static struct number numbers_read(const char *text, size_t length, char point)
{
	char plain[TOKEN_BYTES + 1] = "";
	const char *fraction;
	size_t digits = 0;
	size_t mantissa;
	long tens = 0;

	for (size_t i = 0; i < length && digits < TOKEN_BYTES; i++) {
		if (point && text[i] == point)
			plain[digits++] = '.';
		else if (!strchr(SEPARATORS, text[i]))
			plain[digits++] = text[i];
	}
	plain[digits] = '\0';
	fraction = strchr(plain, '.');
	mantissa = strcspn(plain, "eE");
	if (fraction)
		tens = -(long)strspn(fraction + 1, "0123456789");
	else
		while ((size_t)tens + 1 < mantissa && plain[mantissa - 1 - (size_t)tens] == '0')
			tens++;
	if (plain[mantissa])
		tens += strtol(plain + mantissa + 1, NULL, 10);
	return (struct number){.value = strtod(plain, NULL), .unit = numbers_power_of_ten(tens)};
}

/* Whether a separator may be the decimal point: it occurs once; "1,234" is a group. */
static bool numbers_may_be_point(const char *text, size_t length, char c)
{
	const char *at = memchr(text, c, length);
	size_t after = at ? (size_t)(text + length - at) - 1 : 0;

	if (!at || at != memrchr(text, c, length))
		return false;
	return c == '.' || (!memchr(at, '.', after) && (after != 3 || *text == '0'));
}

/* Read in all ways: with a point, with a decimal comma, as a whole number in groups. */
static size_t numbers_readings(const char *text, size_t length, struct number out[3])
{
	size_t count = 0;

	if (numbers_may_be_point(text, length, '.'))
		out[count++] = numbers_read(text, length, '.');
	if (numbers_may_be_point(text, length, ','))
		out[count++] = numbers_read(text, length, ',');
	if (!count || (*text != '0' && length > 4 && strchr(SEPARATORS, text[length - 4])))
		out[count++] = numbers_read(text, length, '\0');
	return count;
}

/* Find the next number from *i on, and return its end; 0: none. */
static size_t numbers_next(const char *text, size_t *i, size_t length)
{
	for (; *i < length; ++*i) {
		size_t end;

		if (!isdigit((unsigned char)text[*i]))
			continue;
		end = numbers_token_end(text, *i, length);
		end = numbers_exponent_end(text, end, length);
		if (end - *i <= TOKEN_BYTES)
			return end;
		*i = end - 1;
	}
	return 0;
}

static void numbers_remember(struct numbers *n, double value)
{
	if (n->count >= NUMBERS_MAX)
		return;
	n->values = own_grow(n->values, n->count, sizeof(*n->values));
	n->values[n->count++] = value;
}

/* Add the parts of "3,14,15" as well: it may be a list. */
static void numbers_add_parts(struct numbers *n, const char *text, size_t length)
{
	for (size_t i = 0, end; memchr(text, ',', length) && i < length; i = end + 1) {
		const char *comma = memchr(text + i, ',', length - i);

		end = comma ? (size_t)(comma - text) : length;
		numbers_remember(n, numbers_read(text + i, end - i, '.').value);
	}
}

void numbers_add(struct numbers *n, const char *text, size_t length)
{
	for (size_t i = 0, end; (end = numbers_next(text, &i, length)); i = end) {
		struct number read[3];
		size_t count = numbers_readings(text + i, end - i, read);

		for (size_t k = 0; k < count; k++)
			numbers_remember(n, read[k].value);
		numbers_add_parts(n, text + i, end - i);
	}
}

/* -- an answer ------------------------------------------------------------------------------- */

static double numbers_distance(double a, double b)
{
	return a < b ? b - a : a - b;
}

/* Equal when rounded, or cut off, at the last digit written. */
static bool numbers_are_equal(double known, double value, double unit)
{
	double off;

	known = known < 0 ? -known : known;
	off = numbers_distance(known, value);
	if (!(off > unit / 2 + value * 1e-9)) /* true as well for two values that are too large */
		return true;
	return known > value && off < unit;
}

static bool numbers_know(const struct numbers *n, const struct number *read, double factor)
{
	for (size_t i = 0; i < n->count; i++)
		if (numbers_are_equal(n->values[i], read->value * factor, read->unit * factor))
			return true;
	return false;
}

/* Known as it is, or in the unit that follows it. */
static bool numbers_know_reading(const struct numbers *n, const struct number *read,
				 const char *behind, size_t left)
{
	size_t i = text_pass(behind, 0, left, " ");
	size_t length = i < left && behind[i] == '%' ? 1 : text_pass_word(behind, i, left) - i;

	if (numbers_know(n, read, 1))
		return true;
	for (size_t k = 0; k < sizeof(scales) / sizeof(scales[0]); k++)
		if (length == strlen(scales[k].name) &&
		    text_begins(behind + i, left - i, scales[k].name) &&
		    numbers_know(n, read, scales[k].factor))
			return true;
	return false;
}

/* Whether this is the number of a list item: "1. " or "2) " at the start of a line. */
static bool numbers_is_item(const char *text, size_t i, size_t end, size_t length)
{
	size_t start = i;

	while (start > 0 && strchr(" \t*#>", text[start - 1]))
		start--;
	return (start == 0 || text[start - 1] == '\n') && end + 1 < length &&
	       strchr(".):", text[end]) && text[end + 1] == ' ';
}

/* Whether this is part of a name, or too small to be worth a warning. */
static bool numbers_is_plain(const char *text, size_t i, size_t end, size_t length)
{
	bool whole = end - i == 1 && !(end < length && text[end] == '%');
	size_t word = i;

	while (word > 0 && (text_is_word(text[word - 1]) || strchr("-./\\", text[word - 1])))
		word--;
	for (size_t k = word; k < i; k++)
		if (isalpha((unsigned char)text[k]))
			return true;
	return whole || numbers_is_item(text, i, end, length);
}

/* Whether this is part of a date: 2024-10, 2024-10-31, 31/10/2024. */
static bool numbers_is_date(const char *text, size_t i, size_t length)
{
	static const char *const dates[] = {"dddd-dd",    "dddd-dd-dd", "dd-dd-dddd", "dddd/dd",
					    "dddd/dd/dd", "dd/dddd",    "dd/dd/dddd", "d/dd/dddd",
					    "dd/d/dddd",  "d/d/dddd"};
	char run[12] = "";

	while (i > 0 && (isdigit((unsigned char)text[i - 1]) || strchr("-/", text[i - 1])))
		i--;
	for (size_t k = 0; k + 1 < sizeof(run) && i + k < length; k++) {
		if (!isdigit((unsigned char)text[i + k]) && !strchr("-/", text[i + k]))
			break;
		run[k] = isdigit((unsigned char)text[i + k]) ? 'd' : text[i + k];
	}
	for (size_t k = 0; k < sizeof(dates) / sizeof(dates[0]); k++) {
		if (!strcmp(run, dates[k]))
			return true;
	}
	return false;
}

static bool numbers_in_code(const struct fences *fences, size_t i)
{
	for (size_t k = 0; k < fences->count; k++)
		if (fences->items[k].kind == FENCE_PYTHON && i >= fences->items[k].outer &&
		    i < fences->items[k].after)
			return true;
	return false;
}

static void numbers_name(struct unknown_numbers *out, const char *text, size_t length)
{
	for (size_t i = 0; i < out->count; i++)
		if (strlen(out->items[i]) == length && !memcmp(out->items[i], text, length))
			return;
	if (out->count >= UNKNOWN_NUMBERS_MAX)
		return;
	out->items = own_grow(out->items, out->count, sizeof(*out->items));
	out->items[out->count++] = own_strndup(text, length);
}

void numbers_find_unknown(const struct numbers *n, const char *answer, struct unknown_numbers *out)
{
	size_t length = strlen(answer);
	struct fences fences;

	if (n->count >= NUMBERS_MAX)
		return;
	fences_find(answer, length, &fences);
	for (size_t i = 0, end, looked = 0;
	     looked < LOOKED_AT && (end = numbers_next(answer, &i, length)); i = end, looked++) {
		struct number read[3];
		size_t count = numbers_readings(answer + i, end - i, read);
		bool known = numbers_is_plain(answer, i, end, length) ||
			     numbers_is_date(answer, i, length) || numbers_in_code(&fences, i);

		for (size_t k = 0; k < count && !known; k++)
			known = numbers_know_reading(n, &read[k], answer + end, length - end);
		if (!known)
			numbers_name(out, answer + i, end - i);
	}
}

void unknown_numbers_fini(struct unknown_numbers *u)
{
	for (size_t i = 0; i < u->count; i++)
		free(u->items[i]);
	free(u->items);
	*u = (struct unknown_numbers){0};
}

void numbers_fini(struct numbers *n)
{
	free(n->values);
	*n = (struct numbers){0};
}
