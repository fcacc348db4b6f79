/*
 * setting_text - write settings as help, manual page and completion.
 */
#include "flags/setting_text.h"

#include <string.h>

#include "flags/setting_words.h"

#define REFUSED_WIDTH 90

static const char *setting_text_default(const struct setting *row)
{
	return row->words ? row->words : row->fallback;
}

/* Whether a row refuses some values but accepts others. */
static bool setting_text_harmless(const struct setting *row)
{
	return row->arg && row->harmless && *row->harmless != '*';
}

void setting_text_help(const struct setting *row, const struct setting_layout *layout,
		       struct buf *out)
{
	const char *otherwise = setting_text_default(row);
	auto_buf struct buf left = {0};

	if (layout->letters && row->letter)
		buf_printf(&left, "-%c, ", row->letter);
	else if (layout->letters)
		buf_text(&left, "    ");
	buf_printf(&left, "--%s", row->name);
	if (row->arg)
		buf_printf(&left, row->alone ? "[=%s]" : " %s", row->arg);
	buf_printf(out, "%*s%-*s %s%s", layout->indent, "", layout->width, buf_string(&left),
		   row->group == GROUP_REFUSED ? "refused: " : "", row->help);
	if (otherwise)
		buf_printf(out, " [%s]", otherwise);
	else if (setting_text_harmless(row))
		buf_printf(out, " [accepted: %s]", row->harmless);
	buf_text(out, "\n");
}

void setting_text_roff(const char *text, struct buf *out)
{
	for (const char *p = text; *p; p++) {
		if (*p == '-' || *p == '\\')
			buf_text(out, "\\");
		buf_add(out, p, 1);
	}
}

void setting_text_man(const struct setting *row, struct buf *out)
{
	const char *otherwise = setting_text_default(row);

	buf_text(out, ".TP\n.B ");
	if (row->letter)
		buf_printf(out, "\\-%c, ", row->letter);
	buf_text(out, "\\-\\-");
	setting_text_roff(row->name, out);
	if (row->arg) {
		buf_text(out, row->alone ? "\\fR[=\\fI" : "\\fR \\fI");
		setting_text_roff(row->arg, out);
		buf_text(out, row->alone ? "\\fR]" : "");
	}
	buf_text(out, row->group == GROUP_REFUSED ? "\\fR\nrefused: " : "\\fR\n");
	setting_text_roff(row->help, out);
	if (otherwise) {
		buf_text(out, " (default: ");
		setting_text_roff(otherwise, out);
		buf_text(out, ")");
	} else if (setting_text_harmless(row)) {
		buf_text(out, " (accepted: ");
		setting_text_roff(row->harmless, out);
		buf_text(out, ")");
	}
	buf_text(out, ".\n");
}

/* The row as the face shows it: without its letter if another row has that. */
static struct setting setting_text_shown(const struct settings *s, const struct setting *row)
{
	struct setting shown = *row;

	if (setting_find_letter(s, row->letter).row != row)
		shown.letter = 0;
	return shown;
}

/* A row of an earlier table has its name, and counts. */
static bool setting_text_is_covered(const struct settings *s, const struct setting *row)
{
	const struct setting *first = setting_find(s, row->name, strlen(row->name)).row;

	return first && first != row;
}

/* The next row of the group that the face has; NULL: the end of the table. */
static const struct setting *setting_text_next(const struct settings *s, const struct setting *row,
					       enum setting_group group)
{
	while (row->name &&
	       (!(row->faces & s->face) || (group != GROUP_COUNT && row->group != group) ||
		setting_text_is_covered(s, row)))
		row++;
	return row->name ? row : NULL;
}

void setting_text_help_all(const struct settings *s, enum setting_group group,
			   const struct setting_layout *layout, struct buf *out)
{
	for (const struct setting_table *t = s->tables; t->rows; t++) {
		const struct setting *row = t->rows;

		for (; (row = setting_text_next(s, row, group)); row++) {
			struct setting shown = setting_text_shown(s, row);

			setting_text_help(&shown, layout, out);
		}
	}
}

void setting_text_man_all(const struct settings *s, enum setting_group group, struct buf *out)
{
	for (const struct setting_table *t = s->tables; t->rows; t++) {
		const struct setting *row = t->rows;

		for (; (row = setting_text_next(s, row, group)); row++) {
			struct setting shown = setting_text_shown(s, row);

			setting_text_man(&shown, out);
		}
	}
}

/* Append the flags of a table that are refused for the same reason: "-p, --publish, --expose". */
static void setting_text_add_refused(const struct settings *s, const struct setting *row,
				     struct buf *out)
{
	const char *reason = row->help;

	for (; (row = setting_text_next(s, row, GROUP_REFUSED)); row++) {
		const struct setting shown = setting_text_shown(s, row);

		if (strcmp(row->help, reason) != 0)
			continue;
		buf_text(out, out->length ? ", " : "");
		if (shown.letter)
			buf_printf(out, "-%c, ", shown.letter);
		buf_printf(out, "--%s", row->name);
		if (setting_text_harmless(row))
			buf_printf(out, " (unless %s)", row->harmless);
	}
}

/* Wrap lines of help after a flag. */
static void setting_text_wrap(const char *flags, struct buf *out)
{
	size_t column = 0;

	while (*flags) {
		const char *comma = strstr(flags, ", ");
		size_t length = comma ? (size_t)(comma - flags) + 1 : strlen(flags);
		bool fits = column && column + length < REFUSED_WIDTH;

		buf_printf(out, "%s%.*s",
			   fits     ? " "
			   : column ? "\n      "
				    : "      ",
			   (int)length, flags);
		column = fits ? column + length + 1 : length;
		flags += length + (comma ? 1 : 0);
	}
	buf_text(out, "\n");
}

static void setting_text_add_reason(const char *reason, const char *flags, bool man,
				    struct buf *out)
{
	if (!man) {
		buf_printf(out, "  %s:\n", reason);
		setting_text_wrap(flags, out);
		return;
	}
	buf_text(out, ".TP\n");
	setting_text_roff(reason, out);
	buf_text(out, ":\n");
	setting_text_roff(flags, out);
	buf_text(out, "\n");
}

static bool setting_text_is_told(const struct setting *rows, const struct setting *row)
{
	while (rows < row && (rows->group != GROUP_REFUSED || strcmp(rows->help, row->help) != 0))
		rows++;
	return rows < row;
}

void setting_text_refused(const struct settings *s, bool man, struct buf *out)
{
	for (const struct setting_table *t = s->tables; t->rows; t++) {
		const struct setting *row = t->rows;

		for (; (row = setting_text_next(s, row, GROUP_REFUSED)); row++) {
			auto_buf struct buf flags = {0};

			if (setting_text_is_told(t->rows, row))
				continue;
			setting_text_add_refused(s, row, &flags);
			setting_text_add_reason(row->help, buf_string(&flags), man, out);
		}
	}
}

void setting_text_names(const struct settings *s, const char *between, struct buf *out)
{
	for (const struct setting_table *t = s->tables; t->rows; t++) {
		const struct setting *row = t->rows;

		for (; (row = setting_text_next(s, row, GROUP_COUNT)); row++) {
			if (row->group == GROUP_REFUSED)
				continue;
			buf_printf(out, "%s--%s", out->length ? between : "", row->name);
			if (s->grammar & WORDS_NEGATED &&
			    (row->kind == SETTING_FLAG || row->kind == SETTING_ON_OFF))
				buf_printf(out, "%s--no-%s", between, row->name);
		}
	}
}
