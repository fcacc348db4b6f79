/*
 * setting_words - read settings from a command line, as docker (pflag) does.
 */
#include "flags/setting_words.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "flags/setting_text.h"
#include "spec/setting_value.h"

#define REFUSED_BYTES 420 /* leaves room in an error for one more refusal */

struct words {
	const struct settings *settings;
	int count;
	char **items;
	int at;
	struct buf refused; /* the refusals so far */
	const struct setting *last;
	unsigned unsaid; /* refusals that did not fit */
	char letter;     /* the flag was given as this one; 0: by its name */
};

/* Whether the flag is complete without a value. */
static bool setting_words_stands_alone(const struct setting *row)
{
	return !row->arg || row->alone || row->kind == SETTING_ON_OFF;
}

/*
 * Append "--publish: not supported: ...", or merge flags with the same reason: "--publish, --dns:
 * ...".
 */
static void setting_words_refuse(struct words *w, const struct setting *row, const char *why)
{
	auto_buf struct buf end = {0};
	struct buf *all = &w->refused;
	size_t before = all->length;

	char letter[8] = "";
	bool same;

	if (w->letter)
		snprintf(letter, sizeof(letter), "-%c, ", w->letter);
	buf_printf(&end, ": %s", why);
	same = before > end.length && !strcmp(all->data + before - end.length, end.data);
	if (same && w->last == row)
		return;
	if (before && before + strlen(row->name) + end.length > REFUSED_BYTES) {
		w->unsaid++;
		return;
	}
	buf_cut(all, same ? before - end.length : before);
	buf_printf(all, "%s%s--%s%s",
		   same     ? ", "
		   : before ? "; "
			    : "",
		   letter, row->name, end.data);
	w->last = row;
}

/* Collect refusals, so that one error names all of a command line. */
static int setting_words_apply(struct words *w, struct setting_found found, const char *value,
			       struct err *e)
{
	if (!setting_apply(w->settings, found, value, e))
		return 0;
	if (e->kind != ERR_UNSUPPORTED)
		return err_prefix(e, "--%s", found.row->name);
	setting_words_refuse(w, found.row, e->text);
	return 0;
}

/* @bad: *e says what ended the flags; refusals found earlier are put in front of it. */
static int setting_words_finish(const struct words *w, int bad, struct err *e)
{
	const struct err last = *e;
	auto_buf struct buf more = {0};

	if (!w->refused.length)
		return bad;
	if (w->unsaid)
		buf_printf(&more, "; and %u more", w->unsaid);
	return err_set(e, bad ? last.kind : ERR_UNSUPPORTED, "%s%s%s%s", w->refused.data,
		       buf_string(&more), bad ? "; " : "", bad ? last.text : "");
}

/* The next word, if it is one of the choices; otherwise the bare flag means "on". */
static const char *setting_words_choice(struct words *w, const struct setting *row)
{
	const char *next = w->at + 1 < w->count ? w->items[w->at + 1] : "";
	struct setting tried = *row;
	struct err ignored;
	int value;

	tried.at = 0;
	if (setting_value_parse(&tried, &value, NULL, next, &ignored))
		return "on";
	w->at++;
	return next;
}

/* Apply a flag whose value is not attached. @word: how an error names the flag. */
static int setting_words_apply_next(struct words *w, struct setting_found found, const char *word,
				    struct err *e)
{
	if (!found.row->arg)
		return setting_words_apply(w, found, "true", e);
	if (found.row->alone)
		return setting_words_apply(w, found, found.row->alone, e);
	if (found.row->kind == SETTING_ON_OFF)
		return setting_words_apply(w, found, setting_words_choice(w, found.row), e);
	if (w->at + 1 >= w->count)
		return err_input(e, "flag needs an argument: %.80s", word);
	return setting_words_apply(w, found, w->items[++w->at], e);
}

/* The known flag nearest to a misspelt one; NULL: none is near. */
static const char *setting_words_nearest(const struct settings *s, const char *name, size_t length)
{
	struct nearest n = nearest_to(name, length);

	for (const struct setting_table *t = s->tables; t->rows; t++) {
		for (const struct setting *row = t->rows; row->name; row++) {
			if (row->faces & s->face && row->group != GROUP_REFUSED)
				nearest_try(&n, row->name);
		}
	}
	return n.name;
}

int setting_words_unknown(const struct settings *s, const char *word, struct err *e)
{
	auto_buf struct buf flags = {0};
	size_t dashes = strspn(word, "-");
	int length = (int)strcspn(word, "=");
	const char *meant = NULL;

	if (dashes && dashes < (size_t)length)
		meant = setting_words_nearest(s, word + dashes, (size_t)length - dashes);
	length = length < 100 ? length : 100;
	if (meant)
		return err_set(e, s->hint ? ERR_INPUT : ERR_USAGE,
			       "unknown flag: %.*s; did you mean --%s?", length, word, meant);
	if (!s->hint)
		return err_set(e, ERR_USAGE, "unknown flag: %.*s", length, word);
	if (*s->hint)
		return err_input(e, "unknown flag: %.*s; %s", length, word, s->hint);
	setting_text_names(s, ", ", &flags);
	return flags.length ? err_input(e, "unknown flag: %.*s; there are %s", length, word,
					buf_string(&flags))
			    : err_input(e, "unknown flag: %.*s; it takes none", length, word);
}

/* Find the flag that "--no-x" turns off. */
static struct setting_found setting_words_negated(const struct words *w, const char *name,
						  size_t length)
{
	struct setting_found found = {NULL, NULL};

	if (w->settings->grammar & WORDS_NEGATED && !strncmp(name, "no-", 3))
		found = setting_find(w->settings, name + 3, length - 3);
	if (found.row && !setting_words_stands_alone(found.row))
		found.row = NULL;
	return found;
}

static int setting_words_long(struct words *w, struct err *e)
{
	const char *word = w->items[w->at];
	const char *name = word + 2;
	size_t length = strcspn(name, "=");
	bool attached = name[length] == '=';
	struct setting_found found = setting_find(w->settings, name, length);

	if (found.row && attached)
		return setting_words_apply(w, found, name + length + 1, e);
	if (found.row)
		return setting_words_apply_next(w, found, word, e);
	if (!attached)
		found = setting_words_negated(w, name, length);
	if (found.row)
		return setting_words_apply(w, found, "false", e);
	return setting_words_unknown(w->settings, word, e);
}

static int setting_words_unknown_letter(const struct words *w, char letter, struct err *e)
{
	const char *word = w->items[w->at];

	if (!(w->settings->grammar & WORDS_BUNDLED))
		return setting_words_unknown(w->settings, word, e);
	return err_set(e, ERR_USAGE, "unknown shorthand flag: '%c' in -%.50s", letter, word + 1);
}

/* "-it", "-m512m", "-m 512m", "-m=512m": letters until one takes the rest as its value. */
static int setting_words_short(struct words *w, struct err *e)
{
	bool bundled = w->settings->grammar & WORDS_BUNDLED;
	const char *word = w->items[w->at];
	char missing[80];

	for (const char *p = word + 1; *p; p++) {
		struct setting_found found = setting_find_letter(w->settings, *p);

		if (!found.row)
			return setting_words_unknown_letter(w, *p, e);
		w->letter = *p;
		if (p[1] == '=')
			return setting_words_apply(w, found, p + 2, e);
		if (p[1] && found.row->arg)
			return setting_words_apply(w, found, p + 1, e);
		if (p[1] && !bundled)
			return setting_words_unknown_letter(w, *p, e);
		snprintf(missing, sizeof(missing), "'%c' in -%.50s", *p, word + 1);
		if (setting_words_apply_next(w, found, missing, e))
			return -1;
		if (found.row->arg)
			return 0;
	}
	return 0;
}

static bool setting_words_is_help(const struct settings *s, const char *word)
{
	bool letter = !strcmp(word, "-h") && !setting_find_letter(s, 'h').row;

	if (!s->help || (!letter && strcmp(word, "--help") != 0))
		return false;
	*s->help = true;
	return true;
}

static int setting_words_flag(struct words *w, struct err *e)
{
	const char *word = w->items[w->at];

	if (setting_words_is_help(w->settings, word))
		return 0;
	w->letter = '\0';
	return word[1] == '-' ? setting_words_long(w, e) : setting_words_short(w, e);
}

/* Move the operands to the end and return their index; -1: w->at is the invalid word. */
static int setting_words_all(struct words *w, struct err *e)
{
	int operands = 0;

	for (; w->at < w->count; w->at++) {
		const char *word = w->items[w->at];

		if (!strcmp(word, "--")) {
			w->at++;
			break;
		}
		if (word[0] == '-' && word[1]) {
			if (setting_words_flag(w, e))
				return -1;
		} else if (w->settings->grammar & WORDS_ANYWHERE) {
			w->items[operands++] = w->items[w->at];
		} else {
			break;
		}
	}
	w->at -= operands;
	if (operands)
		memmove(w->items + w->at, w->items, (size_t)operands * sizeof(*w->items));
	return w->at;
}

int setting_words(const struct settings *s, int argc, char **argv, int *used, struct err *e)
{
	struct words w = {.settings = s, .count = argc, .items = argv};
	int bad = setting_words_all(&w, e) < 0 ? -1 : 0;

	bad = setting_words_finish(&w, bad, e);
	buf_fini(&w.refused);
	*used = w.at;
	return bad;
}
