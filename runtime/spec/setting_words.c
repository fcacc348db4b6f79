/*
 * setting_words - settings on a command line, the way docker (pflag) reads it.
 */
#include "spec/setting_words.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "spec/setting_text.h"
#include "spec/setting_value.h"

struct words {
	const struct settings *settings;
	int count;
	char **items;
	int at;
};

/* It is complete without a value. */
static bool setting_words_stands_alone(const struct setting *row)
{
	return !row->arg || row->kind == SETTING_ON_OFF;
}

static int setting_words_apply(const struct words *w, struct setting_found found, const char *value,
			       struct err *e)
{
	return setting_apply(w->settings, found, value, e) ? err_prefix(e, "--%s", found.row->name)
							   : 0;
}

/* The next word, if it is one of the choices; without it the flag means on. */
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

/* Without a value attached to it; @word: how an error names it. */
static int setting_words_apply_next(struct words *w, struct setting_found found, const char *word,
				    struct err *e)
{
	if (!found.row->arg)
		return setting_words_apply(w, found, "true", e);
	if (found.row->kind == SETTING_ON_OFF)
		return setting_words_apply(w, found, setting_words_choice(w, found.row), e);
	if (w->at + 1 >= w->count)
		return err_input(e, "flag needs an argument: %.80s", word);
	return setting_words_apply(w, found, w->items[++w->at], e);
}

int setting_words_unknown(const struct settings *s, const char *word, struct err *e)
{
	auto_buf struct buf flags = {0};
	int length = (int)strcspn(word, "=");

	length = length < 100 ? length : 100;
	if (!s->hint)
		return err_set(e, ERR_USAGE, "unknown flag: %.*s", length, word);
	if (*s->hint)
		return err_input(e, "unknown flag: %.*s; %s", length, word, s->hint);
	setting_text_names(s, ", ", &flags);
	return err_input(e, "unknown flag: %.*s; there are %s", length, word, buf_string(&flags));
}

/* "--no-x", of a flag that can be off. */
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
	if (!s->help || (strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0))
		return false;
	*s->help = true;
	return true;
}

static int setting_words_flag(struct words *w, struct err *e)
{
	const char *word = w->items[w->at];

	if (setting_words_is_help(w->settings, word))
		return 0;
	return word[1] == '-' ? setting_words_long(w, e) : setting_words_short(w, e);
}

int setting_words(const struct settings *s, int argc, char **argv, int *used, struct err *e)
{
	struct words w = {.settings = s, .count = argc, .items = argv};
	int operands = 0;

	for (w.at = 0; w.at < argc; w.at++) {
		const char *word = argv[w.at];

		if (!strcmp(word, "--")) {
			w.at++;
			break;
		}
		if (word[0] == '-' && word[1]) {
			*used = w.at;
			if (setting_words_flag(&w, e))
				return -1;
		} else if (s->grammar & WORDS_ANYWHERE) {
			argv[operands++] = argv[w.at];
		} else {
			break;
		}
	}
	*used = w.at - operands;
	if (operands)
		memmove(argv + *used, argv, (size_t)operands * sizeof(*argv));
	return 0;
}
