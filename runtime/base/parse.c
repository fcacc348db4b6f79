/*
 * parse - parse numbers, sizes and durations, with ranges.
 */
#include "base/parse.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Parse unsigned decimal digits at *text, and advance it. -1: none, or they overflow. */
static int parse_digits(const char **text, uint64_t *out)
{
	const char *p = *text;
	uint64_t value = 0;

	if (!isdigit((unsigned char)*p))
		return -1;
	for (; isdigit((unsigned char)*p); p++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return -1;
	}
	*text = p;
	*out = value;
	return 0;
}

int parse_int(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e)
{
	const char *p = text;
	bool negative = *p == '-';
	uint64_t magnitude;
	int64_t value;

	if (*p == '-' || *p == '+')
		p++;
	if (parse_digits(&p, &magnitude) || *p || magnitude > INT64_MAX)
		return err_input(e, "\"%.64s\" is not a whole number", text);
	value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	if (value < min || value > max)
		return err_input(e, "%.64s is out of range: %" PRId64 " to %" PRId64, text, min,
				 max);
	*out = value;
	return 0;
}

int parse_octal(const char *text, uint32_t max, uint32_t *out, struct err *e)
{
	uint32_t value = 0;

	if (!*text || strlen(text) > 8)
		return err_input(e, "\"%.64s\" is not an octal number such as 1777", text);
	for (const char *p = text; *p; p++) {
		if (*p < '0' || *p > '7')
			return err_input(e, "\"%.64s\" is not an octal number such as 1777", text);
		value = value * 8 + (uint32_t)(*p - '0');
	}
	if (value > max)
		return err_input(e, "%.64s is out of range: 0 to %o", text, max);
	*out = value;
	return 0;
}

/* Parse digits with an optional fraction at *text, scaled by 10^places; drop digits beyond. */
static int parse_scaled(const char **text, unsigned places, uint64_t *out)
{
	const char *p = *text;
	uint64_t value;

	if (*p == '.')
		value = 0;
	else if (parse_digits(&p, &value))
		return -1;
	if (*p == '.' && !isdigit((unsigned char)p[1]))
		return -1;
	if (*p == '.')
		p++;
	for (unsigned i = 0; i < places; i++) {
		unsigned digit = isdigit((unsigned char)*p) ? (unsigned)(*p++ - '0') : 0;

		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return -1;
	}
	/*
	 * Zero often means "no limit": a positive value too small to represent must not become
	 * zero.
	 */
	for (; isdigit((unsigned char)*p); p++) {
		if (value == 0 && *p != '0')
			return -1;
	}
	*text = p;
	*out = value;
	return 0;
}

static int parse_size_shift(const char *suffix)
{
	static const struct {
		const char *names[4];
		int shift;
	} units[] = {
		{{"", "b"},          0 },
                {{"k", "kb", "kib"}, 10},
                {{"m", "mb", "mib"}, 20},
		{{"g", "gb", "gib"}, 30},
                {{"t", "tb", "tib"}, 40},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		for (size_t j = 0; j < 4 && units[i].names[j]; j++) {
			if (!strcasecmp(suffix, units[i].names[j]))
				return units[i].shift;
		}
	}
	return -1;
}

int parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *out_bytes, struct err *e)
{
	const char *p = text;
	uint64_t thousandths;
	uint64_t bytes;
	char low[24];
	char high[24];
	int shift;

	if (parse_scaled(&p, 3, &thousandths))
		return err_input(e, "\"%.64s\" is not a size such as 512m or 1.5g", text);
	if (*p == ' ')
		p++;
	shift = parse_size_shift(p);
	if (shift < 0)
		return err_input(e, "\"%.64s\" is not a size: the unit is b, k, m, g or t", text);
	if (__builtin_mul_overflow(thousandths, (uint64_t)1 << shift, &bytes))
		return err_input(e, "%.64s is too large a size", text);
	if (bytes && bytes < 1000)
		return err_input(e, "%.64s is less than a byte", text);
	bytes /= 1000;
	if (bytes < min || bytes > max)
		return err_input(e, "%.64s is out of range: %s to %s", text, format_size(min, low),
				 format_size(max, high));
	*out_bytes = bytes;
	return 0;
}

/* Parse the unit at *text, in ms, and advance it. 0: none. */
static uint64_t parse_unit(const char **text)
{
	static const struct {
		const char *name;
		uint64_t ms;
	} units[] = {
		{"ms", 1      },
		{"s",  1000   },
		{"m",  60000  },
		{"h",  3600000},
	};
	size_t length = strspn(*text, "hms");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) == length && !strncmp(*text, units[i].name, length)) {
			*text += length;
			return units[i].ms;
		}
	}
	return 0;
}

/*
 * Add a number with its unit, which must be smaller than the previous one; a lone number needs
 * none.
 */
static int parse_duration_part(const char *text, const char **p, uint64_t *unit, uint64_t *ms,
			       struct err *e)
{
	uint64_t before = *unit;
	uint64_t part;

	if (parse_scaled(p, 3, &part))
		return err_input(e, "\"%.64s\" is not a duration such as 30s, 1m30s or 250ms",
				 text);
	*unit = **p || before ? parse_unit(p) : 1000;
	if (!*unit)
		return err_input(e, "\"%.64s\" is not a duration: the unit is ms, s, m or h", text);
	if (before && *unit >= before)
		return err_input(e, "\"%.64s\" is not a duration: the largest unit comes first",
				 text);
	if (__builtin_mul_overflow(part, *unit, &part) ||
	    __builtin_add_overflow(*ms, part / 1000, ms))
		return err_input(e, "%.64s is too long", text);
	return 0;
}

int parse_duration(const char *text, uint64_t min_ms, uint64_t max_ms, uint64_t *out_ms,
		   struct err *e)
{
	const char *p = text;
	uint64_t unit = 0;
	uint64_t ms = 0;

	do {
		if (parse_duration_part(text, &p, &unit, &ms, e))
			return -1;
	} while (*p);
	if (ms < min_ms || ms > max_ms)
		return err_input(e, "%.64s is out of range: %" PRIu64 "ms to %" PRIu64 "s", text,
				 min_ms, max_ms / 1000);
	*out_ms = ms;
	return 0;
}

int parse_decimal(const char *text, unsigned places, uint64_t max, uint64_t *out, struct err *e)
{
	const char *p = text;
	uint64_t value;

	if (parse_scaled(&p, places, &value) || *p)
		return err_input(e, "\"%.64s\" is not a number such as 1.5", text);
	if (value > max)
		return err_input(e, "%.64s is too large", text);
	*out = value;
	return 0;
}

int parse_bool(const char *text, bool *out, struct err *e)
{
	static const char *const yes[] = {"1", "t", "true"};
	static const char *const no[] = {"0", "f", "false"};

	for (size_t i = 0; i < 3; i++) {
		if (!strcasecmp(text, yes[i]) || !strcasecmp(text, no[i])) {
			*out = !strcasecmp(text, yes[i]);
			return 0;
		}
	}
	return err_input(e, "\"%.64s\" is neither true nor false", text);
}

const char *format_size(uint64_t bytes, char out[24])
{
	static const char units[] = "bkmgt";
	unsigned unit = 0;

	while (bytes && bytes % 1024 == 0 && units[unit + 1]) {
		bytes /= 1024;
		unit++;
	}
	snprintf(out, 24, "%" PRIu64 "%.1s", bytes, unit ? units + unit : "");
	return out;
}

const char *format_duration(uint64_t ms, char out[24])
{
	snprintf(out, 24, ms % 1000 ? "%" PRIu64 "ms" : "%" PRIu64 "s", ms % 1000 ? ms : ms / 1000);
	return out;
}
