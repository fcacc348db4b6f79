/*
 * text_calls - find calls of execute_python in the text of a reply.
 */
#include "agent/reply/text_calls.h"

#include <stdint.h>
#include <stdlib.h>

#include "agent/data/model.h"
#include "agent/data/python_lexer.h"
#include "agent/data/tag.h"
#include "agent/data/text.h"
#include "agent/reply/call_code.h"
#include "agent/reply/call_text.h"
#include "agent/reply/prose.h"
#include "agent/reply/python_guess.h"
#include "base/json.h"
#include "base/own.h"

#define PYTHON_TAG "<|python_tag|>" /* llama3 */

enum { TRIES_MAX = 64 }; /* objects to try; each costs a scan of the rest */

struct search {
	const char *text;
	size_t length;
	const struct fences *fences;
	struct text_calls *out;
	unsigned tries;
};

/* Spellings of the members of a call. */
static const char *const name_keys[] = {"name", "tool", "action", NULL};
static const char *const argument_keys[] = {"arguments", "parameters", "action_input", "tool_input",
					    NULL};

static const struct json *text_calls_first_of(const struct json *object, const char *const *keys)
{
	const struct json *value = NULL;

	while (*keys && !value)
		value = json_get(object, *keys++);
	return value;
}

static void text_calls_add(struct search *s, size_t start, size_t end, char *code,
			   char *description)
{
	struct text_calls *out = s->out;

	if (!code || out->count == TEXT_CALLS_MAX) {
		out->broken |= !code;
		free(code);
		free(description);
		return;
	}
	out->items[out->count++] = (struct text_call){start, end, code, description};
}

/* Keep the last answer. @answer  owned */
static void text_calls_add_answer(struct search *s, size_t start, char *answer)
{
	free(s->out->answer);
	s->out->answer = answer;
	s->out->answer_start = start;
}

/* Find bare arguments: {"code": ...} or {"execute_python": {"code": ...}}. */
static const struct json *text_calls_bare_arguments(const struct json *object, bool alone)
{
	const struct json *inner = json_get(object, TOOL_NAME);

	if (inner)
		return inner;
	if (!alone || !json_get(object, "code") || !json_string(json_get(object, "code")))
		return NULL;
	for (const struct json *n = json_first(object); n; n = json_next(n))
		if (strcmp(json_key(n), "code") && strcmp(json_key(n), "description") &&
		    strcmp(json_key(n), "language"))
			return NULL;
	return object;
}

/*
 * Judge an object in the text: a call, or data. `alone`: the reply has nothing else. Returns
 * whether it was a call, of any tool.
 */
static bool text_calls_take_object(struct search *s, const struct json *object, size_t start,
				   size_t end, bool alone)
{
	const struct json *name = text_calls_first_of(object, name_keys);
	const struct json *arguments = text_calls_first_of(object, argument_keys);
	char *description = NULL;
	char *code;

	if (!name || !json_string(name)) {
		arguments = text_calls_bare_arguments(object, alone);
		if (!arguments)
			return false;
	} else if (!call_name_is_ours(json_string(name))) {
		char *answer =
			call_name_is_answer(json_string(name))
				? call_answer(arguments ? arguments : json_get(object, "answer"))
				: NULL;

		if (answer) {
			text_calls_add_answer(s, start, answer);
			return true;
		}
		if (!arguments || !json_is_object(arguments))
			return false;
		if (!s->out->unknown)
			s->out->unknown = own_strndup(json_string(name), CALL_NAME_MAX);
		return true;
	}
	code = call_code(arguments ? arguments : object, &description);
	text_calls_add(s, start, end, code, description);
	return true;
}

static bool text_calls_begins_line(const char *text, size_t i)
{
	while (i > 0 && strchr(" \t", text[i - 1]))
		i--;
	return i == 0 || text[i - 1] == '\n';
}

/*
 * Objects in code are data, not calls. But a Python block that begins with an object is not code,
 * and an unclosed one may have ended before the line of the call.
 */
static bool text_calls_is_data(const struct search *s, size_t i)
{
	for (size_t k = 0; k < s->fences->count; k++) {
		const struct fence *f = &s->fences->items[k];

		if (f->kind != FENCE_PYTHON || i < f->start || i >= f->end)
			continue;
		return text_pass(s->text, f->start, i, " \t\n[") < i &&
		       (f->sealed || !text_calls_begins_line(s->text, i));
	}
	return false;
}

/* Whether only white space and a fence surround it. */
static bool text_calls_is_alone(const struct search *s, size_t start, size_t end)
{
	size_t i = text_pass(s->text, 0, start, " \t\n`");

	if (text_begins(s->text + i, start - i, "json")) /* the fence's language */
		i += 4;
	else
		i += python_language(s->text + i, start - i);
	return text_pass(s->text, i, start, " \t\n`") == start &&
	       text_pass(s->text, end, s->length, " \t\n`") == s->length;
}

/* Read the object at i. Returns where to continue. */
static size_t text_calls_look_at_object(struct search *s, size_t i)
{
	size_t next = i + 1 + strspn(s->text + i + 1, " \t\n");
	size_t used = 0;

	if (next >= s->length || !strchr("\"'", s->text[next]) || s->tries >= TRIES_MAX ||
	    text_calls_is_data(s, i))
		return i + 1;
	s->tries++;

	auto_json struct json *object = call_json(s->text + i, s->length - i, &used);

	if (!object || !json_is_object(object))
		return i + 1;
	return text_calls_take_object(s, object, i, i + used, text_calls_is_alone(s, i, i + used))
		       ? i + used
		       : i + 1;
}

/* Read the tool's name at i, outside of a readable object. Returns where to continue. */
static size_t text_calls_look_at_name(struct search *s, size_t i)
{
	size_t after = i + strlen(TOOL_NAME);
	char *description = NULL;
	char *code = NULL;
	size_t end;

	if (s->tries >= TRIES_MAX ||
	    (i > 0 && (isalnum((unsigned char)s->text[i - 1]) || s->text[i - 1] == '_')))
		return after;
	s->tries++;
	switch (call_text_form(s->text, after, s->length, &end)) {
	case CALL_TEXT_NONE:
		return after;
	case CALL_TEXT_OBJECT: {
		size_t used = 0;
		auto_json struct json *object = call_json(s->text + end, s->length - end, &used);

		if (object)
			code = call_code(object, &description);
		end += used ? used : 1;
		break;
	}
	case CALL_TEXT_PARAMETERS:
		code = call_text_parameter(s->text, end, s->length, &end);
		break;
	case CALL_TEXT_LITERAL:
		code = call_text_literal(s->text, end, s->length, &end);
		if (!code)
			return after;
		break;
	}
	text_calls_add(s, i, end, code, description);
	return end;
}

/* Read final_answer("..."), alone. Returns where to continue; i: not found. */
static size_t text_calls_look_at_answer(struct search *s, size_t i)
{
	size_t n = tag_answer_words(s->text + i, s->length - i);
	size_t end = i + n;
	char *answer;

	if (!n || end == s->length || s->text[end] != '(' || !text_calls_is_alone(s, i, s->length))
		return i;
	answer = call_text_literal(s->text, end + 1, s->length, &end);
	end = text_pass(s->text, end, s->length, " \n)");
	if (!answer || !text_calls_is_alone(s, i, end)) {
		free(answer);
		return i;
	}
	text_calls_add_answer(s, i, answer);
	return end;
}

/* Take everything after <|python_tag|> as code, unless it is a call. */
static size_t text_calls_look_at_python_tag(struct search *s, size_t i)
{
	size_t start = i + strlen(PYTHON_TAG);
	size_t first = start + strspn(s->text + start, " \t\n");

	if (first >= s->length || s->text[first] == '{' || s->text[first] == '[' ||
	    !strncmp(s->text + first, TOOL_NAME, strlen(TOOL_NAME)))
		return start;
	text_calls_add(s, i, s->length, own_strndup(s->text + start, s->length - start), NULL);
	return s->length;
}

/* Whether a block is a program, whose strings are data, and not a fence around a call. */
static bool text_calls_is_program(const char *text, const struct fence *f)
{
	size_t i = text_pass(text, f->start, f->end, " \t\n");

	if (i == f->end || strchr("{[", text[i]))
		return false;
	return f->kind == FENCE_PYTHON ||
	       (f->kind == FENCE_PLAIN && python_guess_block(text + i, f->end - i));
}

/* Examine position i. Returns where to continue; i: nothing found. */
static size_t text_calls_look(struct search *s, size_t i)
{
	size_t left = s->length - i;

	if (s->text[i] == '{')
		return text_calls_look_at_object(s, i);
	if (text_begins(s->text + i, left, TOOL_NAME))
		return text_calls_look_at_name(s, i);
	if (text_begins(s->text + i, left, PYTHON_TAG))
		return text_calls_look_at_python_tag(s, i);
	return text_calls_look_at_answer(s, i);
}

void text_calls_find(const char *text, size_t length, const struct fences *fences,
		     struct text_calls *out)
{
	struct search s = {text, length, fences, out, 0};
	size_t judged = SIZE_MAX; /* the last fence judged, and its kind */
	bool program = false;
	struct prose w;

	*out = (struct text_calls){0};
	prose_start(&w, text, length, 0);
	while (w.at < length) {
		size_t next = text_calls_look(&s, w.at);

		if (prose_in_fence(&w) && w.fence.outer != judged) {
			judged = w.fence.outer;
			program = text_calls_is_program(text, &w.fence);
		}
		if (next == w.at && (program || !prose_in_fence(&w)))
			prose_step(&w);
		else
			prose_skip(&w, next > w.at ? next : w.at + 1);
	}
}

void text_calls_fini(struct text_calls *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->items[i].code);
		free(c->items[i].description);
	}
	free(c->unknown);
	free(c->answer);
	*c = (struct text_calls){0};
}
