/*
 * fences - find the fenced blocks of a text.
 */
#include "agent/reply/fences.h"

#include "agent/data/python_lexer.h"
#include "agent/data/tag.h"
#include "agent/data/text.h"
#include "agent/reply/python_guess.h"

/* Bounds that keep the cost linear for any text. */
enum {
	INFO_BYTES = 4096, /* of a line after a fence */
	LEAD_BYTES = 32,   /* of a line before a fence */
	MARKS_MAX = 4 * FENCES_MAX,
};

/* A run of fence characters, and the rest of its line. */
struct mark {
	size_t at;
	size_t run;
	char character;
	size_t info; /* start of the info string */
	size_t info_end;
	size_t line; /* start of its line */
	bool first;  /* only blanks, bullets and quote marks precede it */
};

static bool fences_is_fence_at(const struct fence_scan *s, size_t i)
{
	const char *p = s->text + i;

	return (*p == '`' || *p == '~') && s->length - i >= 3 && p[1] == *p && p[2] == *p;
}

/* Whether only bullets and quote marks ("  - ", "3. ", "> ") precede the fence. */
static bool fences_only_bullets(const struct fence_scan *s, size_t i, size_t end)
{
	if (end - i > LEAD_BYTES)
		return false;
	for (; i < end; i++)
		if (!strchr(" \t-*+>.)", s->text[i]) && !isdigit((unsigned char)s->text[i]))
			return false;
	return true;
}

static void fences_look_at_mark(const struct fence_scan *s, size_t line, size_t at, struct mark *m)
{
	size_t run = text_run(s->text, at, s->length);
	bool near = s->length - at - run <= INFO_BYTES;

	*m = (struct mark){.at = at, .run = run, .character = s->text[at], .line = line};
	m->first = fences_only_bullets(s, line, at);
	m->info = at + run;
	m->info_end = text_line_end(s->text, m->info, near ? s->length : m->info + INFO_BYTES);
	text_trim(s->text, &m->info, &m->info_end);
}

/* Find the next fence at or after i, of any use. `line`: start of the line of i. */
static bool fences_find_mark(const struct fence_scan *s, size_t line, size_t i, struct mark *m)
{
	for (; i < s->length; i++) {
		if (s->text[i] == '\n')
			line = i + 1;
		if (!fences_is_fence_at(s, i))
			continue;
		fences_look_at_mark(s, line, i, m);
		if (m->character == '`' || m->first)
			return true;
		i += m->run - 1;
	}
	return false;
}

static enum fence_kind fences_kind_of(const struct fence_scan *s, const struct mark *m,
				      size_t *used)
{
	*used = 0;
	/* A tag after a fence is not a language. */
	if (m->info == m->info_end || strchr("<[", s->text[m->info]))
		return FENCE_PLAIN;
	*used = python_language(s->text + m->info, m->info_end - m->info);
	return *used ? FENCE_PYTHON : FENCE_OTHER;
}

/* Whether a line ends a block since it cannot be code: a heading of the agent's or of an answer. */
static bool fences_is_heading(const char *line, size_t left)
{
	static const char *const headings[] = {"[EXECUTION RESULT]", "<tool_call>", "</tool_call>"};

	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		if (text_begins(line, left, headings[i]))
			return true;
	/* In brackets it may be a Python list. */
	return left && *line == '<' && tag_read(line, left).kind == TAG_ANSWER;
}

/* Whether this fence can close a block that `open` began. */
static bool fences_closes(const struct mark *open, const struct mark *m)
{
	return m->character == open->character && m->run >= open->run;
}

static bool fences_is_one_word(const struct fence_scan *s, const struct mark *m)
{
	return !memchr(s->text + m->info, ' ', m->info_end - m->info);
}

/* Close the block; a fence with a language begins the next block as well, so reread it. */
static void fences_close_at(const struct fence_scan *s, const struct mark *m, struct fence *f)
{
	size_t used;
	enum fence_kind kind = fences_kind_of(s, m, &used);
	bool opens = kind == FENCE_PYTHON || (kind == FENCE_OTHER && fences_is_one_word(s, m));

	f->closed = true;
	f->sealed = !opens;
	f->end = m->first ? m->line : m->at;
	f->after = m->first && opens ? m->at : m->at + m->run;
}

/*
 * Find the end of a block that may be Python, by its lexer. False: there is none outside strings.
 */
static bool fences_find_python_end(const struct fence_scan *s, const struct mark *open,
				   struct fence *f)
{
	struct python_at at = {0};
	size_t line = f->start;
	struct mark m;

	for (size_t i = f->start; i < s->length;) {
		size_t blank = i == line ? text_pass(s->text, i, s->length, " \t") : i;

		f->end = f->after = i;
		if (i == line && !at.quote && fences_is_heading(s->text + blank, s->length - blank))
			return true;
		if (python_in_code(&at) && fences_is_fence_at(s, i)) {
			fences_look_at_mark(s, line, i, &m);
			if (fences_closes(open, &m)) {
				fences_close_at(s, &m, f);
				return true;
			}
		}
		i += python_step(&at, s->text + i, s->length - i);
		if (s->text[i - 1] == '\n')
			line = i;
	}
	return false;
}

static void fences_find_plain_end(const struct fence_scan *s, const struct mark *open,
				  struct fence *f)
{
	struct mark m;

	for (size_t i = f->start, line = i; fences_find_mark(s, line, i, &m); i = m.at + m.run) {
		line = m.line;
		if (!m.first || !fences_closes(open, &m))
			continue;
		fences_close_at(s, &m, f);
		return;
	}
	f->end = f->after = s->length;
}

/* Read ```print(1)``` in one line. */
static bool fences_take_inline(const struct fence_scan *s, const struct mark *m, struct fence *f)
{
	size_t used;
	enum fence_kind kind = fences_kind_of(s, m, &used);
	size_t end = m->info;

	if (m->character != '`')
		return false;
	for (size_t n; end < m->info_end; end += n) {
		n = s->text[end] == '`' ? text_run(s->text, end, s->length) : 1;
		if (s->text[end] == '`' && n >= m->run)
			break;
	}
	if (end >= m->info_end)
		return false;
	f->closed = f->sealed = f->in_line = true;
	f->start = text_pass(s->text, m->info + (kind == FENCE_PYTHON ? used : 0), end, " \t");
	f->end = end;
	f->after = end + text_run(s->text, end, s->length);
	f->kind = kind;
	if (kind == FENCE_OTHER && m->first && f->after >= m->info_end &&
	    python_guess_line(s->text + m->info, end - m->info))
		f->kind = FENCE_PLAIN;
	return true;
}

/* Whether an info string is code, not an attribute as in "python title=x". */
static bool fences_is_statement(const char *p, size_t length)
{
	return python_guess_line(p, length) &&
	       (memchr(p, '(', length) || memmem(p, length, "import ", 7));
}

/* Read the block that this fence begins. False: the fence is part of a sentence. */
static bool fences_take_block(const struct fence_scan *s, const struct mark *m, struct fence *f)
{
	size_t used;
	bool one_word = fences_is_one_word(s, m);

	*f = (struct fence){.outer = m->at, .indent = m->first ? m->at - m->line : 0};
	f->start = text_next_line(s->text, m->at, s->length);
	if (fences_take_inline(s, m, f))
		return true;
	f->kind = fences_kind_of(s, m, &used);
	if (f->kind == FENCE_OTHER && !m->first && !one_word)
		return false;
	used = text_pass(s->text, m->info + used, m->info_end, " ");
	if (f->kind == FENCE_PYTHON && fences_is_statement(s->text + used, m->info_end - used))
		f->start = used; /* ```python import x */
	if (f->kind == FENCE_OTHER && !one_word &&
	    python_guess_line(s->text + m->info, m->info_end - m->info)) {
		f->kind = FENCE_PLAIN; /* ```import x */
		f->start = m->info;
	}
	if (f->kind == FENCE_OTHER || !fences_find_python_end(s, m, f))
		fences_find_plain_end(s, m, f);
	return true;
}

/* Take "python", alone in the first line of a block, as its language. */
static void fences_take_language_line(const struct fence_scan *s, struct fence *f)
{
	size_t end = text_line_end(s->text, f->start, s->length);
	size_t length = end - f->start;

	if (f->kind != FENCE_PLAIN || !length || end >= f->end ||
	    python_language(s->text + f->start, length) != length)
		return;
	f->kind = FENCE_PYTHON;
	f->start = end + 1;
}

bool fences_next(struct fence_scan *s, struct fence *out)
{
	struct mark m;

	while (s->marks < MARKS_MAX && fences_find_mark(s, s->line, s->at, &m)) {
		s->marks++;
		s->line = m.line;
		s->at = m.at + m.run;
		if (!fences_take_block(s, &m, out))
			continue;
		fences_take_language_line(s, out);
		s->at = out->after > s->at ? out->after : s->at;
		while (s->line < s->at && text_line_end(s->text, s->line, s->length) < s->at)
			s->line = text_next_line(s->text, s->line, s->length);
		return true;
	}
	return false;
}

void fences_find(const char *text, size_t length, struct fences *out)
{
	struct fence_scan s = {.text = text, .length = length};

	out->count = 0;
	while (out->count < FENCES_MAX && fences_next(&s, &out->items[out->count]))
		out->count++;
}

void fence_content(const char *text, const struct fence *f, struct buf *out)
{
	for (size_t i = f->start, end; i < f->end; i = end) {
		end = text_next_line(text, i, f->end);
		for (size_t k = 0; k < f->indent && i < end && strchr(" \t", text[i]); k++)
			i++;
		buf_add(out, text + i, end - i);
	}
}
