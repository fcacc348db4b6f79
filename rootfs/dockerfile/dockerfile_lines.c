/*
 * dockerfile_lines - read the lines of a Dockerfile: directives, comments, continued lines,
 * heredocs.
 */
#include "dockerfile_lines.h"

#include <string.h>
#include <strings.h>

#include "base/own.h"

#define BLANKS " \t\v\f\r"

/* Read a line without its end; false at the end of the text. */
static bool dockerfile_lines_read(struct dockerfile_lines *l, const char **line, size_t *length)
{
	const char *end = l->end;

	if (l->at == end)
		return false;
	*line = l->at;
	end = memchr(l->at, '\n', (size_t)(l->end - l->at));
	if (!end)
		end = l->end;
	*length = (size_t)(end - l->at);
	l->at = end == l->end ? end : end + 1;
	l->line++;
	if (*length && (*line)[*length - 1] == '\r')
		--*length;
	return true;
}

static size_t dockerfile_lines_blanks(const char *line, size_t length)
{
	size_t n = 0;

	while (n < length && strchr(BLANKS, line[n]))
		n++;
	return n;
}

/* -- directives: "# name=value" at the very top ---------------------------------------------- */

static int dockerfile_lines_set_escape(struct dockerfile_lines *l, const char *value, struct err *e)
{
	if (strcmp(value, "\\") != 0 && strcmp(value, "`") != 0)
		return err_input(e, "line %u: escape is \\ or `, not \"%.20s\"", l->line, value);
	l->escape = *value;
	return 0;
}

/* Only the grammar that docker calls 1 is implemented; refuse other syntax directives. */
static int dockerfile_lines_set_syntax(const struct dockerfile_lines *l, const char *value,
				       struct err *e)
{
	static const char *const known[] = {"docker/dockerfile", "docker.io/docker/dockerfile"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i]);
		const char *version = value + length;

		if (strncmp(value, known[i], length) != 0)
			continue;
		if (!*version || !strcmp(version, ":latest") || !strncmp(version, ":1", 2))
			return 0;
	}
	return err_set(e, ERR_UNSUPPORTED, "line %u: syntax=%.100s is not understood", l->line,
		       value);
}

/* 1: it is a directive; 0: it is a comment, or another line. */
static int dockerfile_lines_directive(struct dockerfile_lines *l, const char *line, size_t length,
				      struct err *e)
{
	auto_free char *text = own_strndup(line, length);
	char *name = text + strspn(text, BLANKS);
	char *value = strchr(name, '=');

	if (*name++ != '#' || !value)
		return 0;
	*value++ = '\0';
	name += strspn(name, BLANKS);
	name[strcspn(name, BLANKS)] = '\0';
	value += strspn(value, BLANKS);
	value[strcspn(value, BLANKS)] = '\0';
	if (!strcasecmp(name, "escape"))
		return dockerfile_lines_set_escape(l, value, e) ? -1 : 1;
	if (!strcasecmp(name, "syntax"))
		return dockerfile_lines_set_syntax(l, value, e) ? -1 : 1;
	return !strcasecmp(name, "check");
}

int dockerfile_lines_begin(struct dockerfile_lines *l, const char *text, size_t length,
			   struct err *e)
{
	struct dockerfile_lines before;
	const char *line;
	size_t n;
	int found = 1;

	*l = (struct dockerfile_lines){.at = text, .end = text + length, .escape = '\\'};
	if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		l->at += 3;
	do {
		before = *l;
		if (!dockerfile_lines_read(l, &line, &n))
			return 0;
		found = dockerfile_lines_directive(l, line, n, e);
	} while (found > 0);
	before.escape = l->escape;
	*l = before;
	return found;
}

/* -- instructions ---------------------------------------------------------------------------- */

/* Remove an unescaped escape at the end. Returns whether the line had one. */
static bool dockerfile_lines_continues(const struct dockerfile_lines *l, const char *line,
				       size_t *length)
{
	size_t n = *length;

	while (n && strchr(BLANKS, line[n - 1]))
		n--;
	if (!n || line[n - 1] != l->escape || (n > 1 && line[n - 2] == l->escape))
		return false;
	*length = n - 1;
	return true;
}

bool dockerfile_lines_next(struct dockerfile_lines *l, struct buf *out, unsigned *line)
{
	bool begun = false;
	const char *text;
	size_t length;

	buf_cut(out, 0);
	while (dockerfile_lines_read(l, &text, &length)) {
		size_t blanks = dockerfile_lines_blanks(text, length);
		bool more;

		/* Comments and empty lines do not end a continued line. */
		if (blanks == length || text[blanks] == '#')
			continue;
		if (!begun) {
			*line = l->line;
			text += blanks;
			length -= blanks;
		}
		begun = true;
		more = dockerfile_lines_continues(l, text, &length);
		buf_add(out, text, length);
		if (!more)
			return true;
	}
	return begun;
}

/* -- heredocs -------------------------------------------------------------------------------- */

/* Whether this word is "<<NAME". Digits in front are a descriptor, for the shell. */
static bool dockerfile_lines_is_heredoc(const char *word, size_t length,
					struct dockerfile_heredoc *out)
{
	const char *p = word + strspn(word, "0123456789");
	const char *end = word + length;
	char quote;

	*out = (struct dockerfile_heredoc){.word = word, .length = length};
	if (end - p < 3 || p[0] != '<' || p[1] != '<')
		return false;
	p += 2;
	out->tabs = *p == '-';
	p += out->tabs;
	quote = p < end && (*p == '"' || *p == '\'') ? *p : '\0';
	out->literal = quote;
	if (quote) {
		p++;
		if (end - p < 2 || end[-1] != quote)
			return false;
		end--;
	}
	out->name = p;
	out->name_length = (size_t)(end - p);
	return p < end && !memchr(p, '<', out->name_length) && !memchr(p, '"', out->name_length) &&
	       !memchr(p, '\'', out->name_length) && !memchr(p, '\\', out->name_length);
}

/* The end of a word, after its quotes. */
static const char *dockerfile_lines_word_end(const char *p)
{
	char quote = '\0';

	for (; *p && (quote || !strchr(BLANKS, *p)); p++) {
		if (*p == '\\' && quote != '\'' && p[1])
			p++;
		else if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? '\0' : *p;
	}
	return p;
}

bool dockerfile_lines_heredoc(const char *line, struct dockerfile_heredoc *out)
{
	for (const char *p = line + strspn(line, BLANKS); *p; p += strspn(p, BLANKS)) {
		const char *end = dockerfile_lines_word_end(p);

		if (dockerfile_lines_is_heredoc(p, (size_t)(end - p), out))
			return true;
		p = end;
	}
	return false;
}

int dockerfile_lines_body(struct dockerfile_lines *l, const struct dockerfile_heredoc *h,
			  struct buf *out)
{
	const char *line;
	size_t length;

	buf_cut(out, 0);
	while (dockerfile_lines_read(l, &line, &length)) {
		while (h->tabs && length && *line == '\t') {
			line++;
			length--;
		}
		if (length == h->name_length && !memcmp(line, h->name, length))
			return 0;
		buf_add(out, line, length);
		buf_add(out, "\n", 1);
	}
	return -1;
}
