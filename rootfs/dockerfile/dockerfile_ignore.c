/*
 * dockerfile_ignore - match the patterns of .dockerignore, and of paths in COPY.
 */
#include "dockerfile_ignore.h"

#include <string.h>

#include "base/buf.h"
#include "base/own.h"

#define BLANKS " \t\v\f\r"

void dockerfile_ignore_fini(struct dockerfile_ignore *i)
{
	list_fini(&i->patterns);
}

bool dockerfile_is_pattern(const char *text)
{
	return strpbrk(text, "*?[\\");
}

/* Remove the last component; false: there was none. */
static bool dockerfile_ignore_up(struct buf *path)
{
	const char *slash = strrchr(buf_string(path), '/');

	if (!path->length)
		return false;
	buf_cut(path, slash ? (size_t)(slash - path->data) : 0);
	return true;
}

char *dockerfile_clean(const char *path, bool is_root)
{
	auto_buf struct buf out = {0};

	while (*path) {
		size_t length = strcspn(path, "/");

		if (length == 2 && !memcmp(path, "..", 2)) {
			if (!dockerfile_ignore_up(&out) && !is_root)
				return NULL;
		} else if (length && !(length == 1 && *path == '.')) {
			buf_text(&out, out.length ? "/" : "");
			buf_add(&out, path, length);
		}
		path += length;
		path += *path == '/';
	}
	return own_strdup(buf_string(&out));
}

/* -- one component --------------------------------------------------------------------------- */

/* Match a class after its '['. NULL: malformed; otherwise what follows the ']'. */
static const char *dockerfile_ignore_class(const char *p, const char *end, unsigned char c,
					   bool *matches)
{
	bool negated = p < end && *p == '^';
	bool found = false;
	const char *first;

	p += negated;
	for (first = p; p < end && (*p != ']' || p == first);) {
		unsigned char low;
		unsigned char high;

		p += *p == '\\' && p + 1 < end;
		low = high = (unsigned char)*p++;
		if (p + 1 < end && *p == '-' && p[1] != ']') {
			p++;
			p += *p == '\\' && p + 1 < end;
			high = (unsigned char)*p++;
		}
		found |= c >= low && c <= high;
	}
	*matches = found != negated;
	return p < end ? p + 1 : NULL;
}

/*
 * Match one character with one unit of the pattern other than a star. NULL: it differs; otherwise
 * what follows the unit.
 */
static const char *dockerfile_ignore_unit(const char *p, const char *end, unsigned char c)
{
	bool matches;

	switch (*p) {
	case '?':
		return p + 1;
	case '[':
		p = dockerfile_ignore_class(p + 1, end, c, &matches);
		return p && matches ? p : NULL;
	case '\\':
		p += p + 1 < end;
	}
	return (unsigned char)*p == c ? p + 1 : NULL;
}

/* Retry only the last star: earlier stars need no other length. */
static bool dockerfile_ignore_component(const char *p, size_t pattern_length, const char *text,
					size_t length)
{
	const char *end = p + pattern_length;
	const char *text_end = text + length;
	const char *star = NULL;
	const char *taken = NULL;

	for (;;) {
		const char *next = NULL;

		if (p < end && *p == '*') {
			star = ++p;
			taken = text;
			continue;
		}
		if (text == text_end)
			return p == end;
		if (p < end)
			next = dockerfile_ignore_unit(p, end, (unsigned char)*text);
		if (next) {
			p = next;
			text++;
		} else if (star) {
			p = star;
			text = ++taken;
		} else {
			return false;
		}
	}
}

/* -- paths ----------------------------------------------------------------------------------- */

static const char *dockerfile_ignore_next(const char *path)
{
	path += strcspn(path, "/");
	return path + (*path == '/');
}

static bool dockerfile_ignore_is_stars(const char *pattern)
{
	return pattern[0] == '*' && pattern[1] == '*' && (!pattern[2] || pattern[2] == '/');
}

/*
 * @above: a path below a matching directory matches, too
 *
 * The same algorithm, with "**" as the star of components. At the end of a pattern it matches only
 * paths below.
 */
static bool dockerfile_ignore_path(const char *pattern, const char *path, bool above)
{
	const char *star = NULL;
	const char *taken = NULL;

	for (;;) {
		size_t length = strcspn(path, "/");

		if (dockerfile_ignore_is_stars(pattern)) {
			star = pattern = dockerfile_ignore_next(pattern);
			taken = path;
			if (!*pattern)
				return *path;
			continue;
		}
		if (!*pattern && (above || !*path))
			return true;
		if (!*path)
			return false;
		if (*pattern &&
		    dockerfile_ignore_component(pattern, strcspn(pattern, "/"), path, length)) {
			pattern = dockerfile_ignore_next(pattern);
			path = dockerfile_ignore_next(path);
		} else if (star) {
			pattern = star;
			path = taken = dockerfile_ignore_next(taken);
		} else {
			return false;
		}
	}
}

bool dockerfile_match(const char *pattern, const char *path)
{
	return *path && dockerfile_ignore_path(pattern, path, false);
}

bool dockerfile_ignore_has(const struct dockerfile_ignore *i, const char *path)
{
	for (size_t n = i->patterns.count; n; n--) {
		const char *pattern = i->patterns.items[n - 1];
		bool kept = *pattern == '!';

		if (dockerfile_ignore_path(pattern + kept, path, true))
			return !kept;
	}
	return false;
}

static int dockerfile_ignore_add(struct dockerfile_ignore *i, char *line, unsigned number,
				 struct err *e)
{
	bool kept;
	auto_free char *pattern = NULL;
	size_t length;

	if (*line == '#')
		return 0;
	line += strspn(line, BLANKS);
	for (length = strlen(line); length && strchr(BLANKS, line[length - 1]);)
		line[--length] = '\0';
	if (!*line)
		return 0;
	kept = *line == '!';
	line += kept;
	line += strspn(line, BLANKS);
	pattern = dockerfile_clean(line, false);
	if (!pattern)
		return 0; /* paths outside need not be ignored */
	if (kept && !*pattern)
		return err_input(e, ".dockerignore, line %u: a pattern is missing", number);
	if (strlen(pattern) > DOCKERFILE_PATTERN_MAX)
		return err_input(e, ".dockerignore, line %u: a pattern is longer than %d bytes",
				 number, DOCKERFILE_PATTERN_MAX);
	if (i->patterns.count == DOCKERFILE_PATTERNS_MAX)
		return err_input(e, ".dockerignore: more than %d patterns",
				 DOCKERFILE_PATTERNS_MAX);
	if (*pattern)
		list_addf(&i->patterns, "%s%s", kept ? "!" : "", pattern);
	return 0;
}

int dockerfile_ignore_parse(const char *text, size_t length, struct dockerfile_ignore *out,
			    struct err *e)
{
	auto_free char *copy = NULL;
	unsigned number = 1;

	*out = (struct dockerfile_ignore){0};
	if (memchr(text, '\0', length))
		return err_input(e, ".dockerignore has a NUL");
	if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		length -= 3;
	}
	copy = own_strndup(text, length);
	for (char *line = copy, *end; line; line = end, number++) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		if (dockerfile_ignore_add(out, line, number, e))
			return -1;
	}
	return 0;
}
