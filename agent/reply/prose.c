/*
 * prose - walk through a reply, skipping strings and comments of its code.
 */
#include "agent/reply/prose.h"

#include "agent/data/text.h"
#include "agent/reply/call_code.h"
#include "base/json.h"

enum { OBJECTS_MAX = 16 }; /* objects that are tried; each costs a scan of the rest */

static void prose_next_fence(struct prose *w)
{
	w->has_fence = fences_next(&w->fences, &w->fence);
	w->lexer = (struct python_at){0};
	w->lexed = w->has_fence ? w->fence.start : w->length;
	if (w->has_fence) {
		const char *newline = memrchr(w->text, '\n', w->fence.outer);

		w->line = newline ? (size_t)(newline - w->text) + 1 : 0;
	}
}

void prose_start(struct prose *w, const char *text, size_t length, size_t at)
{
	*w = (struct prose){.text = text, .length = length, .at = at};
	w->fences = (struct fence_scan){.text = text, .length = length, .at = at, .line = at};
	prose_next_fence(w);
}

/* Skip the string just opened, if it is terminated. */
static bool prose_pass_string(struct prose *w)
{
	struct python_at lexer = w->lexer;
	char quote = lexer.quote;
	size_t i = w->lexed;

	while (lexer.quote && i < w->fence.end)
		i += python_step(&lexer, w->text + i, w->fence.end - i);
	if (lexer.quote || w->text[i - 1] != quote) /* also if a line end ended it */
		return false;
	w->lexer = lexer;
	w->lexed = i;
	return true;
}

/* Read one lexical element; `at` advances, past strings and comments at once. */
static void prose_lex(struct prose *w)
{
	bool code = python_in_code(&w->lexer);

	w->lexed += python_step(&w->lexer, w->text + w->lexed, w->fence.end - w->lexed);
	if (code && w->lexer.quote && prose_pass_string(w))
		w->at = w->lexed;
	else if (w->lexer.comment && w->fence.sealed)
		w->at = w->lexed = text_line_end(w->text, w->lexed, w->fence.end);
	else
		w->at++;
}

/* Return the end of an object by its brackets and strings, if they match; else 0. */
static size_t prose_end_of_brackets(const char *text, size_t i, size_t length)
{
	size_t depth = 0;

	for (bool string = false; i < length; i++) {
		if (string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			string = !string;
		else if (!string && (text[i] == '\'' || text[i] == '`'))
			return 0;
		else if (!string && (text[i] == '{' || text[i] == '['))
			depth++;
		else if (!string && (text[i] == '}' || text[i] == ']') && --depth == 0)
			return i + 1;
	}
	return 0;
}

/*
 * Return the end of JSON in the text. 0: none. Line ends in its strings are accepted, other errors
 * are not.
 */
static size_t prose_end_of_object(struct prose *w)
{
	size_t next = w->at + 1 + strspn(w->text + w->at + 1, " \t\n");
	size_t end;
	size_t used;

	if (next >= w->length || w->text[next] != '"' || w->objects == OBJECTS_MAX)
		return 0;
	w->objects++;
	end = prose_end_of_brackets(w->text, w->at, w->length);
	if (!end)
		return 0;

	auto_json struct json *object = call_json(w->text + w->at, end - w->at, &used);

	return object && w->at + used == end ? end : 0;
}

static void prose_leave_fence(struct prose *w)
{
	while (w->has_fence && w->at >= w->fence.after)
		prose_next_fence(w);
}

void prose_step(struct prose *w)
{
	size_t end = 0;

	if (!w->has_fence || w->at < w->fence.outer)
		end = w->text[w->at] == '{' ? prose_end_of_object(w) : 0;
	if (end) {
		prose_again(w, end);
		return;
	}
	if (prose_in_fence(w) && w->at == w->lexed)
		prose_lex(w);
	else
		w->at++;
	prose_leave_fence(w);
}

void prose_skip(struct prose *w, size_t at)
{
	w->at = at;
	if (w->has_fence && at > w->lexed)
		w->lexed = at;
	prose_leave_fence(w);
}

void prose_again(struct prose *w, size_t at)
{
	w->at = at;
	/*
	 * Fences found further on are still valid; a new search for each tag would be quadratic.
	 */
	if (!w->has_fence || w->line >= at)
		return;
	w->fences.at = w->fences.line = at;
	prose_next_fence(w);
}
