/*
 * markdown_table - render a table of Markdown on a console, with aligned columns.
 */
#include "agent/show/markdown_table.h"

#include <stdbool.h>
#include <string.h>

#include "agent/data/text.h"
#include "agent/show/span.h"

#define COLUMNS_MAX 30
#define BETWEEN     3 /* columns between two cells */

struct cell {
	const char *text;
	size_t length;
};

struct row {
	struct cell cells[COLUMNS_MAX];
	size_t count;
};

struct table {
	size_t widths[COLUMNS_MAX];
	bool right[COLUMNS_MAX];
	size_t columns;
};

/* Return the end of the cell at `at`: a bar that is neither escaped nor in code. */
static size_t markdown_table_cell_end(const char *line, size_t at, size_t length)
{
	bool code = false;

	for (; at < length && (code || line[at] != '|'); at++) {
		if (line[at] == '`')
			code = !code && memchr(line + at + 1, '`', length - at - 1);
		else if (line[at] == '\\' && at + 1 < length)
			at++;
	}
	return at < length ? at : length;
}

/* false: too many cells. */
static bool markdown_table_read_row(const char *line, size_t length, struct row *row)
{
	size_t at = text_pass(line, 0, length, " \t");

	at += at < length && line[at] == '|';
	row->count = 0;
	while (at < length) {
		size_t end = markdown_table_cell_end(line, at, length);
		size_t start = at;
		size_t last = end;

		text_trim(line, &start, &last);
		if (end == length && start == last)
			break; /* behind the last bar */
		if (row->count == COLUMNS_MAX)
			return false;
		row->cells[row->count++] = (struct cell){line + start, last - start};
		at = end + 1;
	}
	return true;
}

/* Whether a row is the line below the head: "---", ":--", "--:". */
static bool markdown_table_is_line(const struct row *row)
{
	for (size_t i = 0; i < row->count; i++) {
		const struct cell *c = &row->cells[i];

		if (!c->length || text_pass(c->text, 0, c->length, ":-") < c->length ||
		    !memchr(c->text, '-', c->length))
			return false;
	}
	return row->count > 0;
}

static size_t markdown_table_cell_width(const struct cell *c)
{
	const struct span_line line = {c->text, c->length, true};
	struct span span = {0};

	return span_width(&span, &line, 0, c->length);
}

/* Read the next row. false: not a row that can be shown, or the end. */
static bool markdown_table_next(const char *text, size_t *at, size_t length, struct row *row)
{
	size_t begin = *at;
	size_t end = text_line_end(text, begin, length);

	*at = text_next_line(text, begin, length);
	return begin < length && markdown_table_read_row(text + begin, end - begin, row);
}

/* false: not a table. */
static bool markdown_table_measure(const char *text, size_t length, struct table *t)
{
	struct row row;
	size_t number = 0;

	for (size_t at = 0; at < length; number++) {
		if (!markdown_table_next(text, &at, length, &row))
			return false;
		if (number == 1 && !markdown_table_is_line(&row))
			return false;
		if (row.count > t->columns)
			t->columns = row.count;
		for (size_t i = 0; i < row.count; i++) {
			const struct cell *c = &row.cells[i];
			size_t width = number == 1 ? 0 : markdown_table_cell_width(c);

			if (number == 1)
				t->right[i] = c->text[c->length - 1] == ':' && c->text[0] != ':';
			if (width > t->widths[i])
				t->widths[i] = width;
		}
	}
	return number > 1 && t->columns > 0;
}

static void markdown_table_write_row(struct console *c, const struct table *t,
				     const struct row *row, bool head)
{
	for (size_t i = 0; i < row->count; i++) {
		const struct cell *cell = &row->cells[i];
		const struct span_line line = {cell->text, cell->length, true};
		struct span span = {0};
		int room = (int)(t->widths[i] - markdown_table_cell_width(cell));

		if (i)
			console_text(c, STYLE_DIM, " \xe2\x94\x82 ");
		console_printf(c, STYLE_PLAIN, "%*s", t->right[i] ? room : 0, "");
		span_write(&span, &line, 0, cell->length, head ? STYLE_BOLD : STYLE_PLAIN, c);
		if (i + 1 < row->count)
			console_printf(c, STYLE_PLAIN, "%*s", t->right[i] ? 0 : room, "");
	}
	console_text(c, STYLE_PLAIN, "\n");
}

static void markdown_table_write_line(struct console *c, const struct table *t)
{
	auto_buf struct buf line = {0};

	for (size_t i = 0; i < t->columns; i++) {
		buf_text(&line, i ? "\xe2\x94\x80\xe2\x94\xbc\xe2\x94\x80" : "");
		for (size_t k = 0; k < t->widths[i]; k++)
			buf_text(&line, "\xe2\x94\x80");
	}
	console_add(c, STYLE_DIM, buf_string(&line), line.length);
	console_text(c, STYLE_PLAIN, "\n");
}

void markdown_table_write(struct console *c, const char *text, size_t length)
{
	struct table t = {0};
	size_t width = 0;
	struct row row;
	size_t at = 0;
	bool is_table = markdown_table_measure(text, length, &t);

	for (size_t i = 0; i < t.columns; i++)
		width += t.widths[i] + (i ? BETWEEN : 0);
	if (!is_table || width > console_width(c)) {
		console_add(c, STYLE_PLAIN, text, length);
		return;
	}
	for (size_t number = 0; at < length; number++) {
		(void)markdown_table_next(text, &at, length, &row);
		if (number == 1)
			markdown_table_write_line(c, &t);
		else
			markdown_table_write_row(c, &t, &row, number == 0);
	}
}
