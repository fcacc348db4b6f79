/*
 * fences - the fenced blocks of a text.
 */
#include "agent/reply/fences.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "agent/reply/begins.h"
#include "agent/reply/python_guess.h"
#include "agent/reply/python_lexer.h"

/* Bounds that keep the cost linear, whatever the text is. */
enum {
	INFO_BYTES = 4096, /* of a line behind a fence */
	LEAD_BYTES = 32,   /* of a line before a fence */
	MARKS_MAX = 4 * FENCES_MAX,
};

/* A run of fence characters, and what stands behind it in its line. */
struct mark {
	size_t at;
	size_t run;
	char character;
	size_t info; /* first character of it that is not blank */
	size_t info_end;
	size_t line; /* where the line begins */
	bool first;  /* only blanks, list bullets and quote marks stand before it */
};

static size_t end_of_line(const struct fence_scan *s, size_t i)
{
	const char *end = i < s->length ? memchr(s->text + i, '\n', s->length - i) : NULL;

	return end ? (size_t)(end - s->text) : s->length;
}

static size_t run_at(const struct fence_scan *s, size_t i)
{
	size_t n = 0;

	while (i + n < s->length && s->text[i + n] == s->text[i])
		n++;
	return n;
}

static bool is_fence_at(const struct fence_scan *s, size_t i)
{
	const char *p = s->text + i;

	return (*p == '`' || *p == '~') && s->length - i >= 3 && p[1] == *p && p[2] == *p;
}

/* "  - ", "3. " and "> " may stand before a fence. */
static bool only_bullets(const struct fence_scan *s, size_t i, size_t end)
{
	if (end - i > LEAD_BYTES)
		return false;
	for (; i < end; i++)
		if (!strchr(" \t-*+>.)", s->text[i]) && !isdigit((unsigned char)s->text[i]))
			return false;
	return true;
}

static void look_at_mark(const struct fence_scan *s, size_t line, size_t at, struct mark *m)
{
	size_t run = run_at(s, at);
	struct fence_scan near = *s;
	size_t end;

	if (s->length - at - run > INFO_BYTES)
		near.length = at + run + INFO_BYTES;
	end = end_of_line(&near, at + run);
	*m = (struct mark){.at = at, .run = run, .character = s->text[at], .line = line};
	m->first = only_bullets(s, line, at);
	m->info = at + run;
	m->info_end = end;
	while (m->info < end && isspace((unsigned char)s->text[m->info]))
		m->info++;
	while (m->info_end > m->info && isspace((unsigned char)s->text[m->info_end - 1]))
		m->info_end--;
}

/* The next fence at or behind i, whatever it is good for. `line`: where the line of i begins. */
static bool find_mark(const struct fence_scan *s, size_t line, size_t i, struct mark *m)
{
	for (; i < s->length; i++) {
		if (s->text[i] == '\n')
			line = i + 1;
		if (!is_fence_at(s, i))
			continue;
		look_at_mark(s, line, i, m);
		if (m->character == '`' || m->first)
			return true;
		i += m->run - 1;
	}
	return false;
}

static const char *const python_names[] = {
	"py",        "py3",         "ipython",        "ipython3",    "pycon",
	"tool_code", "python_code", "execute_python", "jupyter",     "notebook",
	"pyton",     "python-repl", "pythonrepl",     "python_repl", "code-python",
	"cpython",   "sage",
};

/* The first word of an info string: "python title=x", "{.python}", "Python3.11:main.py". */
static bool is_python_name(const char *info, size_t length, size_t *used)
{
	size_t i = strspn(info, "{.");
	size_t n = 0;

	while (i + n < length &&
	       (isalnum((unsigned char)info[i + n]) || strchr("_-.", info[i + n])))
		n++;
	*used = i + n;
	if (n >= 6 && !strncasecmp(info + i, "python", 6) &&
	    strspn(info + i + 6, "0123456789.") >= n - 6)
		return true;
	for (size_t k = 0; k < sizeof(python_names) / sizeof(python_names[0]); k++)
		if (n == strlen(python_names[k]) && !strncasecmp(info + i, python_names[k], n))
			return true;
	return false;
}

static enum fence_kind kind_of(const struct fence_scan *s, const struct mark *m, size_t *used)
{
	*used = 0;
	/* Behind a fence a tag is no language. */
	if (m->info == m->info_end || strchr("<[", s->text[m->info]))
		return FENCE_PLAIN;
	return is_python_name(s->text + m->info, m->info_end - m->info, used) ? FENCE_PYTHON
									      : FENCE_OTHER;
}

/* A line that cannot be code and ends a block: a heading of the agent's or of an answer. */
static bool is_heading(const char *line, size_t left)
{
	static const char *const headings[] = {"<FINAL_ANSWER", "</FINAL_ANSWER",
					       "<FINAL ANSWER", "[EXECUTION RESULT]",
					       "<tool_call>",   "</tool_call>"};

	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		if (begins(line, left, headings[i]))
			return true;
	return false;
}

/* Could this fence end a block that `open` began? */
static bool closes(const struct mark *open, const struct mark *m)
{
	return m->character == open->character && m->run >= open->run;
}

static bool is_one_word(const struct fence_scan *s, const struct mark *m)
{
	return !memchr(s->text + m->info, ' ', m->info_end - m->info);
}

/* A fence with a language begins the next block, too: it is looked at again. */
static void close_at(const struct fence_scan *s, const struct mark *m, struct fence *f)
{
	size_t used;
	enum fence_kind kind = kind_of(s, m, &used);
	bool opens = kind == FENCE_PYTHON || (kind == FENCE_OTHER && is_one_word(s, m));

	f->closed = true;
	f->sealed = !opens;
	f->end = m->first ? m->line : m->at;
	f->after = m->first && opens ? m->at : m->at + m->run;
}

/*
 * The end of a block that may be Python, as its lexer sees it. Returns false if it never
 * comes to one outside a string.
 */
static bool find_python_end(const struct fence_scan *s, const struct mark *open, struct fence *f)
{
	struct python_at at = {0};
	size_t line = f->start;
	struct mark m;

	for (size_t i = f->start; i < s->length;) {
		size_t blank = i;

		while (i == line && blank < s->length && strchr(" \t", s->text[blank]))
			blank++;
		f->end = f->after = i;
		if (i == line && !at.quote && is_heading(s->text + blank, s->length - blank))
			return true;
		if (python_in_code(&at) && is_fence_at(s, i)) {
			look_at_mark(s, line, i, &m);
			if (closes(open, &m)) {
				close_at(s, &m, f);
				return true;
			}
		}
		i += python_step(&at, s->text + i, s->length - i);
		if (s->text[i - 1] == '\n')
			line = i;
	}
	return false;
}

static void find_plain_end(const struct fence_scan *s, const struct mark *open, struct fence *f)
{
	struct mark m;

	for (size_t i = f->start, line = i; find_mark(s, line, i, &m); i = m.at + m.run) {
		line = m.line;
		if (!m.first || !closes(open, &m))
			continue;
		close_at(s, &m, f);
		return;
	}
	f->end = f->after = s->length;
}

/* ```print(1)``` in one line. */
static bool take_inline(const struct fence_scan *s, const struct mark *m, struct fence *f)
{
	size_t used;
	enum fence_kind kind = kind_of(s, m, &used);
	size_t end = m->info;

	if (m->character != '`')
		return false;
	for (size_t n; end < m->info_end; end += n) {
		n = s->text[end] == '`' ? run_at(s, end) : 1;
		if (s->text[end] == '`' && n >= m->run)
			break;
	}
	if (end >= m->info_end)
		return false;
	f->closed = f->sealed = f->in_line = true;
	f->start = kind == FENCE_PYTHON ? m->info + used : m->info;
	f->end = end;
	f->after = end + run_at(s, end);
	f->kind = kind;
	if (kind == FENCE_OTHER && m->first && f->after >= m->info_end &&
	    python_guess_line(s->text + m->info, end - m->info))
		f->kind = FENCE_PLAIN;
	return true;
}

/* Not an attribute, as in "python title=x". */
static bool is_statement(const char *p, size_t length)
{
	return python_guess_line(p, length) &&
	       (memchr(p, '(', length) || memmem(p, length, "import ", 7) ||
		memmem(p, length, " = ", 3));
}

/* A block that begins with this fence. Returns false if the fence is part of a sentence. */
static bool take_block(const struct fence_scan *s, const struct mark *m, struct fence *f)
{
	size_t used;
	bool one_word = is_one_word(s, m);
	size_t newline = end_of_line(s, m->at);

	*f = (struct fence){.outer = m->at, .indent = m->first ? m->at - m->line : 0};
	f->start = newline < s->length ? newline + 1 : newline;
	if (take_inline(s, m, f))
		return true;
	f->kind = kind_of(s, m, &used);
	if (f->kind == FENCE_OTHER && !m->first && !one_word)
		return false;
	while (m->info + used < m->info_end && s->text[m->info + used] == ' ')
		used++;
	if (f->kind == FENCE_PYTHON &&
	    is_statement(s->text + m->info + used, m->info_end - m->info - used))
		f->start = m->info + used; /* ```python import x */
	if (f->kind == FENCE_OTHER && !one_word &&
	    python_guess_line(s->text + m->info, m->info_end - m->info)) {
		f->kind = FENCE_PLAIN; /* ```import x */
		f->start = m->info;
	}
	if (f->kind == FENCE_OTHER || !find_python_end(s, m, f))
		find_plain_end(s, m, f);
	return true;
}

/* "python" alone in the first line of a block without a language. */
static void take_language_line(const struct fence_scan *s, struct fence *f)
{
	size_t end = end_of_line(s, f->start);
	size_t used;

	if (f->kind != FENCE_PLAIN || end >= f->end || end - f->start > 12)
		return;
	if (!is_python_name(s->text + f->start, end - f->start, &used))
		return;
	if (f->start + used + (s->text[end - 1] == '\r') != end)
		return;
	f->kind = FENCE_PYTHON;
	f->start = end + 1;
}

bool fences_next(struct fence_scan *s, struct fence *out)
{
	struct mark m;

	while (s->marks < MARKS_MAX && find_mark(s, s->line, s->at, &m)) {
		s->marks++;
		s->line = m.line;
		s->at = m.at + m.run;
		if (!take_block(s, &m, out))
			continue;
		take_language_line(s, out);
		s->at = out->after > s->at ? out->after : s->at;
		while (s->line < s->at && end_of_line(s, s->line) < s->at)
			s->line = end_of_line(s, s->line) + 1;
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
	for (size_t i = f->start; i < f->end;) {
		const char *newline = memchr(text + i, '\n', f->end - i);
		size_t end = newline ? (size_t)(newline - text) + 1 : f->end;

		for (size_t k = 0; k < f->indent && i < end && strchr(" \t", text[i]); k++)
			i++;
		buf_add(out, text + i, end - i);
		i = end;
	}
}
