/*
 * setting_value - convert one value between text and the field of its row.
 */
#include "spec/setting_value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/parse.h"
#include "spec/spec.h"

#define MILLI_PLACES 3

/* The index of a word in "a|b|c"; -1: not found. */
static int setting_value_index(const char *choices, const char *word)
{
	const char *p = choices ? choices : "";

	for (int i = 0; *p; i++) {
		size_t length = strcspn(p, "|");

		if (strlen(word) == length && !strncmp(p, word, length))
			return i;
		p += length + (p[length] == '|');
	}
	return -1;
}

static int setting_value_choice(const struct setting *row, const char *value, int *out,
				struct err *e)
{
	int found = setting_value_index(row->choices, value);

	if (found < 0)
		return err_input(e, "\"%.60s\" is none of %s", value, row->arg);
	*out = found;
	return 0;
}

/*
 * Parse "on", "off" or a boolean. parse_bool()'s error is dropped: the row's choices name the valid
 * words.
 */
static int setting_value_on_off(const struct setting *row, const char *value, int *out,
				struct err *e)
{
	struct err ignored;
	bool on;

	if (!parse_bool(value, &on, &ignored))
		value = on ? "on" : "off";
	return setting_value_choice(row, value, out, e);
}

static int setting_value_text(const struct setting *row, const struct sandbox_spec *keeper,
			      const char *value, const char **out, struct err *e)
{
	if (strlen(value) < (size_t)row->min)
		return err_input(e, "an empty value");
	*out = keeper ? spec_strdup(keeper, value) : value;
	return 0;
}

/* Extend an error of range, which lists numbers only, by the row's word for "no limit". */
static int setting_value_say_none(const struct setting *row, struct err *e)
{
	const struct err range = *e;
	auto_buf struct buf words = {0};

	for (const char *p = row->none ? row->none : ""; *p; p += strcspn(p, "|"), p += *p == '|')
		buf_printf(&words, "%s%.*s",
			   words.length ? " or " : "; no limit: ", (int)strcspn(p, "|"), p);
	return err_set(e, range.kind, "%s%s", range.text, buf_string(&words));
}

static int setting_value_unsigned(const struct setting *row, const char *value, uint64_t min,
				  uint64_t *out, struct err *e)
{
	uint64_t max = (uint64_t)row->max;
	int64_t count;

	if (row->kind == SETTING_BYTES)
		return parse_size(value, min, max, out, e);
	if (row->kind == SETTING_DURATION)
		return parse_duration(value, min, max, out, e);
	if (row->kind == SETTING_MILLI)
		return parse_decimal(value, MILLI_PLACES, max, out, e);
	if (parse_int(value, (int64_t)min, row->max, &count, e))
		return setting_value_say_none(row, e);
	*out = (uint64_t)count;
	return 0;
}

/* Parse a number, or the row's word for "no limit". */
static int setting_value_counted(const struct setting *row, const char *value, uint64_t *out,
				 struct err *e)
{
	bool zero_is_none = setting_value_index(row->none, "0") >= 0;
	auto_buf struct buf least = {0};
	uint64_t n = SPEC_UNLIMITED;

	if (setting_value_index(row->none, value) < 0 &&
	    setting_value_unsigned(row, value, zero_is_none ? 0 : (uint64_t)row->min, &n, e))
		return -1;
	if (n == 0 && zero_is_none)
		n = SPEC_UNLIMITED;
	if (n < (uint64_t)row->min) {
		setting_value_write(row, (uint64_t)row->min, &least);
		return err_input(e, "%.50s is too little: the minimum is %s%s", value,
				 buf_string(&least), zero_is_none ? ", and 0 means no limit" : "");
	}
	*out = n;
	return 0;
}

/* An empty value counts as not given, as in docker. */
static int setting_value_moot(const struct setting *row, const char *value, struct err *e)
{
	const char *harmless = row->harmless ? row->harmless : "false";
	bool on;

	if (!row->arg && parse_bool(value, &on, e))
		return -1;
	if (!strcmp(harmless, "*") || (row->arg && !*value))
		return 0;
	if (setting_value_index(harmless, row->arg ? value
					  : on     ? "true"
						   : "false") >= 0 &&
	    (!row->arg || row->harmless))
		return 0;
	return err_set(e, ERR_UNSUPPORTED, "not supported: %s", row->help);
}

int setting_value_parse(const struct setting *row, void *target, const struct sandbox_spec *keeper,
			const char *value, struct err *e)
{
	void *field = (char *)target + row->at;

	if (row->blank && !*value)
		return 0;
	switch (row->kind) {
	case SETTING_FLAG:
		return parse_bool(value, field, e);
	case SETTING_TEXT:
		return setting_value_text(row, keeper, value, field, e);
	case SETTING_WRITTEN:
		return setting_value_text(row, keeper, value, &((struct written_path *)field)->text,
					  e);
	case SETTING_CHOICE:
		return setting_value_choice(row, value, field, e);
	case SETTING_ON_OFF:
		return setting_value_on_off(row, value, field, e);
	case SETTING_INTEGER:
		return parse_int(value, row->min, row->max, field, e);
	case SETTING_COUNT:
	case SETTING_BYTES:
	case SETTING_DURATION:
	case SETTING_MILLI:
		return setting_value_counted(row, value, field, e);
	case SETTING_LIST:
		list_add(field, value);
		return 0;
	case SETTING_OWN:
		return row->parse(target, value, e);
	case SETTING_MOOT:
		return setting_value_moot(row, value, e);
	}
	abort();
}

void setting_value_write(const struct setting *row, uint64_t value, struct buf *out)
{
	char number[24];

	if (value == SPEC_UNLIMITED)
		buf_text(out, "no limit");
	else if (row->kind == SETTING_BYTES)
		buf_text(out, format_size(value, number));
	else if (row->kind == SETTING_DURATION)
		buf_text(out, format_duration(value, number));
	else if (row->kind == SETTING_MILLI)
		buf_printf(out, "%g", (double)value / 1000);
	else
		buf_printf(out, "%" PRIu64, value);
}
