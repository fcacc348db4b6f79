/*
 * words - split a command line as Python's shlex.split() does.
 */
#include "agentsandbox/words.h"

#include <string.h>

#define SPACES " \t\r\n"

struct words {
	const char *at;
	struct buf word;
	bool has_begun; /* also an empty one, by its quotes */
};

/* Take one character behind a backslash, which stays where it escapes nothing. */
static int words_take_escaped(struct words *w, bool is_quoted, struct err *e)
{
	const char next = w->at[1];

	if (!next)
		return err_input(e, "No escaped character");
	if (is_quoted && next != '"' && next != '\\')
		buf_add(&w->word, "\\", 1);
	buf_add(&w->word, &next, 1);
	w->at += 2;
	return 0;
}

/* Take a quotation, from its first mark to its last. */
static int words_take_quoted(struct words *w, struct err *e)
{
	const char mark = *w->at++;

	while (*w->at && *w->at != mark) {
		if (*w->at == '\\' && mark == '"') {
			if (words_take_escaped(w, true, e))
				return -1;
		} else {
			buf_add(&w->word, w->at++, 1);
		}
	}
	if (!*w->at)
		return err_input(e, "No closing quotation");
	w->at++;
	return 0;
}

static int words_take(struct words *w, struct err *e)
{
	w->has_begun = true;
	if (*w->at == '\'' || *w->at == '"')
		return words_take_quoted(w, e);
	if (*w->at == '\\')
		return words_take_escaped(w, false, e);
	buf_add(&w->word, w->at++, 1);
	return 0;
}

static void words_end(struct words *w, struct list *out)
{
	if (w->has_begun)
		list_add(out, buf_string(&w->word));
	buf_cut(&w->word, 0);
	w->has_begun = false;
}

int words_split(const char *text, struct list *out, struct err *e)
{
	struct words w = {.at = text};
	int bad = 0;

	while (*w.at && !bad) {
		if (strchr(SPACES, *w.at)) {
			words_end(&w, out);
			w.at++;
		} else {
			bad = words_take(&w, e);
		}
	}
	if (!bad)
		words_end(&w, out);
	buf_fini(&w.word);
	return bad;
}
