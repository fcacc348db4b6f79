/*
 * markdown - render Markdown on a console while it arrives.
 */
#include "agent/show/markdown.h"

#include <ctype.h>
#include <string.h>

#include "agent/data/text.h"
#include "agent/show/markdown_table.h"

#define RULE_COLUMNS 40
#define HELD_BYTES   4096 /* of a line; a longer one is written unrendered */

static struct span_line markdown_line(const struct markdown *m, bool complete)
{
	return (struct span_line){buf_string(&m->line), m->line.length, complete};
}

static void markdown_pad(struct markdown *m, size_t columns)
{
	console_printf(m->console, STYLE_PLAIN, "%*s", (int)columns, "");
}

static void markdown_end_table(struct markdown *m)
{
	if (m->table.length)
		markdown_table_write(m->console, m->table.data, m->table.length);
	buf_fini(&m->table);
}

/* -- the beginning of a line ----------------------------------------------------------------- */

/* Return the length of "- ", "12. " and the like at `at`; 0: none. */
static size_t markdown_item(const char *p, size_t at, size_t length)
{
	size_t n = at;

	while (n < length && n - at < 3 && isdigit((unsigned char)p[n]))
		n++;
	if (n + 1 >= length || !strchr(n > at ? ".)" : "-*+", p[n]) || p[n + 1] != ' ')
		return 0;
	return n + 2 - at;
}

static bool markdown_is_rule(const char *p, size_t at, size_t length)
{
	size_t run = at < length && strchr("-*_", p[at]) ? text_run(p, at, length) : 0;

	return run >= 3 && text_pass(p, at + run, length, " \t") == length;
}

static void markdown_rule(struct markdown *m)
{
	size_t width = console_width(m->console);
	auto_buf struct buf rule = {0};

	for (size_t i = 0; i < RULE_COLUMNS && i < width; i++)
		buf_text(&rule, "\xe2\x94\x80");
	console_add(m->console, STYLE_DIM, rule.data, rule.length);
	m->done = m->line.length;
}

/* Write the prefix of the words: bullet, number, quotation, heading. */
static void markdown_begin_words(struct markdown *m, size_t at)
{
	const char *p = buf_string(&m->line);
	size_t length = m->line.length;
	size_t item = markdown_item(p, at, length);
	size_t hashes = at < length && p[at] == '#' ? text_run(p, at, length) : 0;

	markdown_pad(m, at);
	m->done = at;
	m->indent = at + item;
	if (item == 2) {
		console_text(m->console, STYLE_PLAIN, "\xe2\x80\xa2 ");
	} else if (item) {
		console_add(m->console, STYLE_PLAIN, p + at, item);
	} else if (hashes && hashes <= 6 && at + hashes < length && p[at + hashes] == ' ') {
		m->heading = true;
		item = hashes + 1;
	} else if (at < length && p[at] == '>') {
		console_text(m->console, STYLE_DIM, "\xe2\x94\x82 ");
		item = at + 1 < length && p[at + 1] == ' ' ? 2 : 1;
		m->indent = at + 2;
	}
	m->done += item;
}

/* false: the kind of the line is still open. */
static bool markdown_begin(struct markdown *m, bool complete)
{
	const char *p = buf_string(&m->line);
	size_t at = text_pass(p, 0, m->line.length, " \t");
	char first = at < m->line.length ? p[at] : ' ';
	bool decided = first != '|' && memchr(p + at, ' ', m->line.length - at);

	/* "- " begins an item, but "- - -" is a rule. */
	if (strchr("-*_", first))
		decided = text_pass(p, at, m->line.length, "-*_ \t") < m->line.length;
	if (!complete && !decided)
		return false;
	if (first == '|') {
		buf_add(&m->table, p, m->line.length);
		buf_text(&m->table, "\n");
		m->done = m->line.length;
		m->begun = true;
		return true;
	}
	markdown_end_table(m);
	m->begun = true;
	if (markdown_is_rule(p, at, m->line.length))
		markdown_rule(m);
	else
		markdown_begin_words(m, at);
	return true;
}

/* -- words ----------------------------------------------------------------------------------- */

/* Write the next word with its leading blanks. false: none is complete. */
static bool markdown_write_word(struct markdown *m, bool complete)
{
	const struct span_line line = markdown_line(m, complete);
	size_t begin = text_pass(line.text, m->done, line.length, " \t");
	size_t end = begin;
	size_t blanks = begin - m->done;
	struct span tried = m->span;
	size_t width;

	while (end < line.length && line.text[end] != ' ' && line.text[end] != '\t')
		end++;
	if (begin == line.length || (end == line.length && !complete))
		return false;
	tried.undecided = false;
	width = span_width(&tried, &line, begin, end);
	if (tried.undecided)
		return false;
	if (m->console->column + blanks + width > console_width(m->console) &&
	    m->console->column > m->indent) {
		console_text(m->console, STYLE_PLAIN, "\n");
		blanks = m->indent;
	}
	if (blanks)
		markdown_pad(m, blanks);
	span_write(&m->span, &line, begin, end, m->heading ? STYLE_BOLD : STYLE_PLAIN, m->console);
	m->done = end;
	return true;
}

static void markdown_go_on(struct markdown *m, bool complete)
{
	if (!m->begun && !markdown_begin(m, complete))
		return;
	while (m->done < m->line.length && markdown_write_word(m, complete))
		;
}

static void markdown_end_line(struct markdown *m)
{
	m->line.length = 0;
	m->done = 0;
	m->begun = false;
	m->heading = false;
	m->indent = 0;
	m->span = (struct span){0};
}

void markdown_add(struct markdown *m, const char *text, size_t length)
{
	for (size_t at = 0; at < length;) {
		size_t end = text_line_end(text, at, length);

		buf_add(&m->line, text + at, end - at);
		if (end == length) {
			markdown_go_on(m, m->line.length - m->done > HELD_BYTES);
			return;
		}
		markdown_go_on(m, true);
		if (!m->table.length)
			console_text(m->console, STYLE_PLAIN, "\n");
		markdown_end_line(m);
		at = end + 1;
	}
}

void markdown_end(struct markdown *m)
{
	if (m->line.length)
		markdown_go_on(m, true);
	markdown_end_table(m);
	markdown_end_line(m);
	buf_fini(&m->line);
}
