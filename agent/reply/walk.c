/*
 * walk - over a reply, past what is code in it.
 */
#include "agent/reply/walk.h"

#include <string.h>

#include "agent/reply/call_code.h"
#include "base/json.h"

enum { OBJECTS_MAX = 16 }; /* that are read; each costs what is left of the text */

static void next_fence(struct walk *w)
{
	w->has_fence = fences_next(&w->fences, &w->fence);
	w->lexer = (struct python_at){0};
	w->lexed = w->has_fence ? w->fence.start : w->length;
	if (w->has_fence) {
		const char *newline = memrchr(w->text, '\n', w->fence.outer);

		w->line = newline ? (size_t)(newline - w->text) + 1 : 0;
	}
}

void walk_start(struct walk *w, const char *text, size_t length, size_t at)
{
	*w = (struct walk){.text = text, .length = length, .at = at};
	w->fences = (struct fence_scan){.text = text, .length = length, .at = at, .line = at};
	next_fence(w);
}

/* In a string that was just opened: behind its end, if it has one. */
static bool pass_string(struct walk *w)
{
	struct python_at lexer = w->lexer;
	char quote = lexer.quote;
	size_t i = w->lexed;

	while (lexer.quote && i < w->fence.end)
		i += python_step(&lexer, w->text + i, w->fence.end - i);
	if (lexer.quote || w->text[i - 1] != quote) /* a line end ends it, too */
		return false;
	w->lexer = lexer;
	w->lexed = i;
	return true;
}

static size_t pass_comment(struct walk *w)
{
	const char *end = memchr(w->text + w->lexed, '\n', w->fence.end - w->lexed);

	return w->lexed = end ? (size_t)(end - w->text) : w->fence.end;
}

/* One lexical bit; `at` moves along, past strings and comments at once. */
static void lex(struct walk *w)
{
	bool code = python_in_code(&w->lexer);

	w->lexed += python_step(&w->lexer, w->text + w->lexed, w->fence.end - w->lexed);
	if (code && w->lexer.quote && pass_string(w))
		w->at = w->lexed;
	else if (w->lexer.comment && w->fence.sealed)
		w->at = pass_comment(w);
	else
		w->at++;
}

/* Where brackets and strings say that an object ends, if they are as they should be; else 0. */
static size_t end_of_brackets(const char *text, size_t i, size_t length)
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
 * JSON that stands in the text: where it ends. 0: there is none. Line ends in its strings
 * are no mistake here, but no other is forgiven.
 */
static size_t end_of_object(struct walk *w)
{
	size_t next = w->at + 1 + strspn(w->text + w->at + 1, " \t\n");
	size_t end;
	size_t used;

	if (next >= w->length || w->text[next] != '"' || w->objects == OBJECTS_MAX)
		return 0;
	w->objects++;
	end = end_of_brackets(w->text, w->at, w->length);
	if (!end)
		return 0;

	auto_json struct json *object = call_json(w->text + w->at, end - w->at, &used);

	return object && w->at + used == end ? end : 0;
}

static void leave_fence(struct walk *w)
{
	while (w->has_fence && w->at >= w->fence.after)
		next_fence(w);
}

void walk_step(struct walk *w)
{
	size_t end = 0;

	if (!w->has_fence || w->at < w->fence.outer)
		end = w->text[w->at] == '{' ? end_of_object(w) : 0;
	if (end) {
		walk_again(w, end);
		return;
	}
	if (walk_in_fence(w) && w->at == w->lexed)
		lex(w);
	else
		w->at++;
	leave_fence(w);
}

void walk_skip(struct walk *w, size_t at)
{
	w->at = at;
	if (w->has_fence && at > w->lexed)
		w->lexed = at;
	leave_fence(w);
}

void walk_again(struct walk *w, size_t at)
{
	w->at = at;
	/* What was found further down is there still; a new look for each tag would be a square. */
	if (!w->has_fence || w->line >= at)
		return;
	w->fences.at = w->fences.line = at;
	next_fence(w);
}
