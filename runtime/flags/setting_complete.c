/*
 * setting_complete - complete the last word of a command line.
 */
#include "flags/setting_complete.h"

#include <string.h>

#include "flags/setting_text.h"
#include "flags/setting_words.h"

/* The row of a flag whose value is the next word; NULL: the word is complete. */
static const struct setting *setting_complete_open(const struct settings *s, const char *word)
{
	const struct setting *row = NULL;

	if (word[1] == '-')
		row = strchr(word, '=') ? NULL : setting_find(s, word + 2, strlen(word + 2)).row;
	for (const char *p = word + 1; word[1] != '-' && *p; p++) {
		row = setting_find_letter(s, *p).row;
		if (!row || row->arg)
			return row && !p[1] ? row : NULL;
	}
	return row && row->arg && !row->alone && row->kind != SETTING_ON_OFF ? row : NULL;
}

/* The known values of a row: "a|b|c". */
static const char *setting_complete_choices(const struct setting *row)
{
	if (row->choices)
		return row->choices;
	return row->kind == SETTING_MOOT && row->arg && row->harmless && *row->harmless != '*'
		       ? row->harmless
		       : "";
}

static void setting_complete_values(const struct setting *row, const char *before, size_t length,
				    struct buf *out)
{
	for (const char *p = setting_complete_choices(row); *p;) {
		size_t n = strcspn(p, "|");

		buf_printf(out, "%.*s%.*s\n", (int)length, before, (int)n, p);
		p += n + (p[n] == '|');
	}
}

static struct setting_place setting_complete_flag(const struct settings *s, const char *word,
						  struct buf *out)
{
	size_t length = strcspn(word, "=");
	struct setting_place place = {.operand = -1};

	if (!word[length]) {
		setting_text_names(s, "\n", out);
		buf_text(out, s->help ? "\n--help\n" : "\n");
	} else if (!strncmp(word, "--", 2)) {
		place.value_of = setting_find(s, word + 2, length - 2).row;
		if (place.value_of)
			setting_complete_values(place.value_of, word, length + 1, out);
	}
	return place;
}

struct setting_place setting_complete(const struct settings *s, int count, char **words,
				      struct buf *out)
{
	const struct setting *open = NULL;
	struct setting_place place = {.operand = 0};
	bool flags = true;

	for (int i = 0; i + 1 < count; i++) {
		bool end = flags && !strcmp(words[i], "--");

		if (open) {
			open = NULL;
		} else if (flags && !end && words[i][0] == '-' && words[i][1]) {
			open = setting_complete_open(s, words[i]);
		} else {
			place.operand += !end;
			flags = flags && !end && s->grammar & WORDS_ANYWHERE;
		}
	}
	if (open) {
		setting_complete_values(open, "", 0, out);
		return (struct setting_place){.value_of = open, .operand = -1};
	}
	if (count && flags && words[count - 1][0] == '-')
		return setting_complete_flag(s, words[count - 1], out);
	return place;
}
