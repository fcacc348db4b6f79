/*
 * setting_text - settings for people: help, manual page, completion.
 */
#include "spec/setting_text.h"

#include "spec/setting_words.h"

static const char *setting_text_default(const struct setting *row)
{
	return row->words ? row->words : row->fallback;
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
	buf_printf(&left, "--%s%s%s", row->name, row->arg ? " " : "", row->arg ? row->arg : "");
	buf_printf(out, "%*s%-*s %s", layout->indent, "", layout->width, buf_string(&left),
		   row->help);
	if (otherwise)
		buf_printf(out, " [%s]", otherwise);
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
		buf_text(out, "\\fR \\fI");
		setting_text_roff(row->arg, out);
	}
	buf_text(out, "\\fR\n");
	setting_text_roff(row->help, out);
	if (otherwise) {
		buf_text(out, " (default: ");
		setting_text_roff(otherwise, out);
		buf_text(out, ")");
	}
	buf_text(out, ".\n");
}

/* As the face has it: another row's letter is not its own. */
static struct setting setting_text_shown(const struct settings *s, const struct setting *row)
{
	struct setting shown = *row;

	if (setting_find_letter(s, row->letter).row != row)
		shown.letter = 0;
	return shown;
}

/* The next row that the face has, of the group; NULL: no more of the table. */
static const struct setting *setting_text_next(const struct settings *s, const struct setting *row,
					       enum setting_group group)
{
	while (row->name &&
	       (!(row->faces & s->face) || (group != GROUP_COUNT && row->group != group)))
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
