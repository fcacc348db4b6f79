/*
 * intent - guess from words whether work is announced, or code is wanted.
 */
#include "agent/reply/intent.h"

#include <string.h>

#include "agent/data/text.h"
#include "base/buf.h"

enum {
	WORD_BYTES = 24, /* longer words are in no list */
	FILLERS = 4,     /* words between "I will" and what will be done */
	ASKED_WITHIN = 10,
};

/* Openings of a sentence that announces work; each ends with a blank. */
static const char *const openings[] = {
	"i will ", "i'll ",   "i am going to ", "i'm going to ", "i need to ",  "let me ",
	"let's ",  "let us ", "we will ",       "we'll ",        "we need to ",
};

/* Words allowed before and behind an opening. */
static const char fillers[] =
	" now first then next also start begin by with to okay ok sure "
	"certainly great so and quickly just try ";

static const char work[] =
	" load loading read reading open opening use using run running check checking look looking "
	"calculate calculating compute computing analyze analyse analyzing plot plotting draw "
	"drawing create creating write writing import importing inspect inspecting examine "
	"examining execute executing generate generating fetch fetching process processing find "
	"finding see explore exploring fix fixing correct retry parse parsing save saving make "
	"verify test list print sum count filter group merge sort convert extract perform do "
	"proceed continue ";

/* Verbs of a task that wants code: "write a function that ..."; not if it shall run, too. */
static const char wanted[] = " write create make give generate implement draft provide send need ";
static const char code[] = " function script program code snippet regex decorator lambda ";
static const char run[] = " run execute ";

/* Read the next word at *i, in lower case; false: none before `end`. */
static bool intent_next_word(const char *text, size_t *i, size_t end, char out[WORD_BYTES])
{
	size_t n = 0;

	while (*i < end && !text_is_word(text[*i]))
		++*i;
	for (; *i < end && (text_is_word(text[*i]) || (n && text[*i] == '-')); ++*i)
		if (n < WORD_BYTES - 1)
			out[n++] = (char)tolower((unsigned char)text[*i]);
	out[n] = '\0';
	return n > 0;
}

static bool intent_is_in(const char *list, const char *word)
{
	return text_is_listed(list, word, strlen(word));
}

/* Whether fillers and a verb of work follow: "now load". */
static bool intent_is_work(const char *text, size_t i, size_t end)
{
	char word[WORD_BYTES];

	for (int n = 0; n <= FILLERS && intent_next_word(text, &i, end, word); n++) {
		if (intent_is_in(work, word))
			return true;
		if (!intent_is_in(fillers, word))
			return false;
	}
	return false;
}

/* Skip "First, " and the like. */
static size_t intent_pass_fillers(const char *text, size_t i, size_t end)
{
	char word[WORD_BYTES];
	size_t at = i;

	while (intent_next_word(text, &at, end, word) && intent_is_in(fillers, word))
		i = at;
	return text_pass(text, i, end, " ,.!*#->:\t");
}

static bool intent_sentence_announces(const char *text, size_t i, size_t end)
{
	i = intent_pass_fillers(text, i, end);
	for (size_t k = 0; k < sizeof(openings) / sizeof(openings[0]); k++)
		if (text_begins(text + i, end - i, openings[k]))
			return intent_is_work(text, i + strlen(openings[k]), end);
	return false;
}

/* Return the end of a sentence: a line end, or a mark before a blank. */
static size_t intent_sentence_end(const char *text, size_t i, size_t end)
{
	for (; i < end && text[i] != '\n'; i++)
		if (strchr(".!?", text[i]) && (i + 1 == end || text[i + 1] == ' '))
			return i + 1;
	return i;
}

/* Replace typographic apostrophes. */
static void intent_plain(const char *text, struct buf *out)
{
	for (; *text; text++) {
		bool typographic = !strncmp(text, "\xe2\x80\x99", 3);

		buf_add(out, typographic ? "'" : text, 1);
		text += typographic ? 2 : 0;
	}
}

bool intent_is_announced(const char *text, bool anywhere)
{
	auto_buf struct buf plain = {0};
	bool announced = false;
	size_t start = 0;
	size_t end;

	intent_plain(text, &plain);
	text = buf_string(&plain);
	end = plain.length;
	text_trim(text, &start, &end);
	if (end > start && text[end - 1] == ':')
		return true;
	while (start < end) {
		size_t stop = intent_sentence_end(text, start, end);
		bool this = intent_sentence_announces(text, start, stop);

		announced = this || (anywhere && announced);
		start = text_pass(text, stop, end, " \n\t");
	}
	return announced;
}

bool intent_asks_for_code(const char *task)
{
	size_t length = strlen(task);
	unsigned since = ASKED_WITHIN;
	bool asks = false;
	char word[WORD_BYTES];

	for (size_t i = 0; intent_next_word(task, &i, length, word); since++) {
		if (intent_is_in(run, word))
			return false;
		asks |= since < ASKED_WITHIN && intent_is_in(code, word);
		if (intent_is_in(wanted, word))
			since = 0;
	}
	return asks;
}
