/*
 * dockerfile_words - expand quotes and variables in the words of a Dockerfile, as docker does.
 */
#include "dockerfile_words.h"

#include <string.h>

#include "base/own.h"

#define BLANKS    " \t\v\f\r\n"
#define LETTERS   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS    "0123456789"
#define DEPTH_MAX 8

struct reading {
	const struct dockerfile_words *w;
	const char *at;
	struct buf *out; /* NULL: discard what is read */
	bool raw;        /* quotes are ordinary characters */
	unsigned depth;  /* of words in ${X:-word} */
};

static int dockerfile_words_put(struct reading *r, const char *text, size_t length, struct err *e)
{
	if (!r->out)
		return 0;
	if (length > DOCKERFILE_WORD_MAX || r->out->length + length > DOCKERFILE_WORD_MAX)
		return err_input(e, "a word becomes longer than %u KiB", DOCKERFILE_WORD_MAX >> 10);
	buf_add(r->out, text, length);
	return 0;
}

static int dockerfile_words_read(struct reading *r, char stop, struct err *e);

/* Read the word of ${X:-word}, up to its brace: keep it only if wanted. */
static int dockerfile_words_word(struct reading *r, bool wanted, struct buf *word, struct err *e)
{
	struct reading inner = *r;
	int status;

	if (r->depth == DEPTH_MAX)
		return err_input(e, "${...} stands in more than %d others", DEPTH_MAX);
	inner.depth++;
	inner.out = wanted ? word : NULL;
	status = dockerfile_words_read(&inner, '}', e);
	r->at = inner.at;
	return status;
}

/* After the name in ${name: read what to do with its value, up to the brace. */
static int dockerfile_words_modified(struct reading *r, const char *name, struct err *e)
{
	const char *value = r->w->value(r->w->context, name);
	bool colon = *r->at == ':';
	bool has = value && (!colon || *value);
	auto_buf struct buf word = {0};
	char what;

	r->at += colon;
	what = *r->at;
	if (!what || !strchr("-+?", what))
		return err_input(e,
				 "${%.60s%s%.1s...} is not understood: ${X}, ${X:-word} and "
				 "${X:+word} are",
				 name, colon ? ":" : "", r->at);
	r->at++;
	if (dockerfile_words_word(r, what == '+' ? has : !has, &word, e))
		return -1;
	if (what == '?' && !has)
		return err_input(e, "%.60s: %.200s", name,
				 word.length ? buf_string(&word) : "it has no value");
	if (what != '+' && has)
		return dockerfile_words_put(r, value, strlen(value), e);
	return dockerfile_words_put(r, buf_string(&word), word.length, e);
}

/* Continue after the "${". */
static int dockerfile_words_braced(struct reading *r, struct err *e)
{
	size_t length = strspn(r->at, LETTERS DIGITS);
	auto_free char *name = own_strndup(r->at, length);
	const char *value;

	if (!length)
		return err_input(e, "${%.20s: a name is missing", r->at);
	r->at += length;
	if (!*r->at)
		return err_input(e, "${%.60s: its } is missing", name);
	if (*r->at != '}')
		return dockerfile_words_modified(r, name, e);
	r->at++;
	value = r->w->value(r->w->context, name);
	return value ? dockerfile_words_put(r, value, strlen(value), e) : 0;
}

/* Continue after the dollar. */
static int dockerfile_words_dollar(struct reading *r, struct err *e)
{
	auto_free char *name = NULL;
	const char *value;
	size_t length;

	if (*r->at == '{') {
		r->at++;
		return dockerfile_words_braced(r, e);
	}
	length =
		strchr(LETTERS, *r->at) ? strspn(r->at, LETTERS DIGITS) : strspn(r->at, DIGITS) > 0;
	if (!*r->at || !length)
		return dockerfile_words_put(r, "$", 1, e);
	name = own_strndup(r->at, length);
	r->at += length;
	value = r->w->value(r->w->context, name);
	return value ? dockerfile_words_put(r, value, strlen(value), e) : 0;
}

static int dockerfile_words_single(struct reading *r, struct err *e)
{
	const char *end = strchr(++r->at, '\'');
	size_t length;

	if (!end)
		return err_input(e, "a ' has no other");
	length = (size_t)(end - r->at);
	if (dockerfile_words_put(r, r->at, length, e))
		return -1;
	r->at = end + 1;
	return 0;
}

/* In double quotes the escape is an ordinary character before most others. */
static int dockerfile_words_escaped(struct reading *r, bool quoted, struct err *e)
{
	char next = r->at[1];
	bool special = next == '"' || next == '$' || next == r->w->escape;
	size_t kept = r->raw || (quoted && next && !special) ? 0 : 1;
	size_t length = next ? 2 : 1;

	if (dockerfile_words_put(r, r->at + kept, length - kept, e))
		return -1;
	r->at += length;
	return 0;
}

/* Take a character that is not a quote. */
static int dockerfile_words_other(struct reading *r, bool quoted, struct err *e)
{
	if (*r->at == r->w->escape)
		return dockerfile_words_escaped(r, quoted, e);
	if (*r->at != '$')
		return dockerfile_words_put(r, r->at++, 1, e);
	r->at++;
	return dockerfile_words_dollar(r, e);
}

static int dockerfile_words_double(struct reading *r, struct err *e)
{
	for (r->at++; *r->at && *r->at != '"';) {
		if (dockerfile_words_other(r, true, e))
			return -1;
	}
	if (*r->at != '"')
		return err_input(e, "a \" has no other");
	r->at++;
	return 0;
}

/* Read up to `stop`, and skip that. */
static int dockerfile_words_read(struct reading *r, char stop, struct err *e)
{
	while (*r->at && *r->at != stop) {
		int status;

		if (*r->at == '\'' && !r->raw)
			status = dockerfile_words_single(r, e);
		else if (*r->at == '"' && !r->raw)
			status = dockerfile_words_double(r, e);
		else
			status = dockerfile_words_other(r, false, e);
		if (status)
			return -1;
	}
	if (*r->at != stop)
		return err_input(e, "a %c is missing", stop);
	r->at += stop != '\0';
	return 0;
}

int dockerfile_spend(const struct dockerfile_words *w, size_t length, struct err *e)
{
	if (!w->expanded)
		return 0;
	*w->expanded += length + DOCKERFILE_ITEM_BYTES;
	return *w->expanded > DOCKERFILE_EXPANDED_MAX
		       ? err_input(e, "with it the words of the file become longer than %u MiB",
				   DOCKERFILE_EXPANDED_MAX >> 20)
		       : 0;
}

static int dockerfile_words_expand(const struct dockerfile_words *w, const char *text, bool raw,
				   struct buf *out, struct err *e)
{
	struct reading r = {.w = w, .at = text, .out = out, .raw = raw};
	size_t before = out->length;

	return dockerfile_words_read(&r, '\0', e) || dockerfile_spend(w, out->length - before, e)
		       ? -1
		       : 0;
}

int dockerfile_expand(const struct dockerfile_words *w, const char *text, struct buf *out,
		      struct err *e)
{
	return dockerfile_words_expand(w, text, false, out, e);
}

int dockerfile_expand_lines(const struct dockerfile_words *w, const char *text, struct buf *out,
			    struct err *e)
{
	return dockerfile_words_expand(w, text, true, out, e);
}

void dockerfile_cut(const char *text, struct list *out)
{
	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		size_t length = strcspn(text, BLANKS);
		auto_free char *word = own_strndup(text, length);

		list_add(out, word);
		text += length;
	}
}

/* The end of the word that begins here. */
static const char *dockerfile_words_end(char escape, const char *p)
{
	char quote = '\0';

	for (; *p && (quote || !strchr(BLANKS, *p)); p++) {
		if (*p == escape && quote != '\'' && p[1])
			p++;
		else if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? '\0' : *p;
	}
	return p;
}

void dockerfile_cut_quoted(char escape, const char *text, struct list *out)
{
	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		const char *end = dockerfile_words_end(escape, text);
		auto_free char *word = own_strndup(text, (size_t)(end - text));

		list_add(out, word);
		text = end;
	}
}

static int dockerfile_words_pair(const struct dockerfile_words *w, const char *name, size_t length,
				 const char *value, struct list *out, struct err *e)
{
	auto_free char *written = own_strndup(name, length);
	auto_buf struct buf pair = {0};

	if (dockerfile_expand(w, written, &pair, e))
		return -1;
	if (!pair.length || strchr(buf_string(&pair), '='))
		return err_input(e, "\"%.60s\" cannot be the name of a variable", written);
	buf_text(&pair, "=");
	if (dockerfile_expand(w, value, &pair, e))
		return err_prefix(e, "%.60s", written);
	list_add(out, buf_string(&pair));
	return 0;
}

int dockerfile_pairs(const struct dockerfile_words *w, const char *text, struct list *out,
		     struct err *e)
{
	size_t first = strcspn(text, "=" BLANKS);
	auto_list struct list words = {0};

	if (text[first] != '=') {
		const char *value = text + first + strspn(text + first, BLANKS);

		if (!*value)
			return err_input(e, "%.60s has no value: NAME=VALUE", text);
		return dockerfile_words_pair(w, text, first, value, out, e);
	}
	dockerfile_cut_quoted(w->escape, text, &words);
	for (size_t i = 0; i < words.count; i++) {
		const char *equals = strchr(words.items[i], '=');

		if (!equals)
			return err_input(e, "\"%.60s\" lacks its value: NAME=VALUE",
					 words.items[i]);
		if (dockerfile_words_pair(w, words.items[i], (size_t)(equals - words.items[i]),
					  equals + 1, out, e))
			return -1;
	}
	return 0;
}
