/*
 * extract - find the code or the final answer in a model's reply.
 */
#include "agent/reply/extract.h"

#include <stdint.h>
#include <stdlib.h>

#include "agent/data/model.h"
#include "agent/data/text.h"
#include "agent/reply/answer_tag.h"
#include "agent/reply/call_code.h"
#include "agent/reply/extract_code.h"
#include "agent/reply/fences.h"
#include "agent/reply/prose.h"
#include "agent/reply/reply_text.h"
#include "agent/reply/text_calls.h"
#include "base/json_put.h"
#include "base/own.h"

/* State of reading one reply. */
struct reading {
	const char *text;
	size_t length;
	struct fences fences;
	struct text_calls calls;
	struct answer_tag answer;
	struct buf code;
	struct buf note;
	struct code_found found;
	bool mistaken;
	bool foreign;
	bool invented;
};

static void extract_note(struct reading *r, const char *text)
{
	if (r->note.length)
		buf_text(&r->note, "\n");
	buf_text(&r->note, text);
}

bool extract_is_invented(const char *line, size_t length)
{
	static const char *const lines[] = {"[EXECUTION RESULT]", "User:", "Human:"};

	while (length && strchr(" \t", line[length - 1]))
		length--;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (length == strlen(lines[i]) && !strncasecmp(line, lines[i], length))
			return true;
	return false;
}

/* Return the end of the first code. SIZE_MAX: none. */
static size_t extract_end_of_first_code(const struct reading *r)
{
	size_t end = r->calls.count ? r->calls.items[0].end : SIZE_MAX;

	for (size_t i = 0; i < r->fences.count; i++)
		if (r->fences.items[i].kind == FENCE_PYTHON && r->fences.items[i].after < end)
			return r->fences.items[i].after;
	return end;
}

/* Return the start of an invented line after the first code, outside strings. SIZE_MAX: none. */
static size_t extract_find_invented(const struct reading *r)
{
	size_t code = extract_end_of_first_code(r);
	struct prose w;

	for (prose_start(&w, r->text, r->length, 0); w.at < r->length; prose_step(&w)) {
		if (w.at < code || (w.at > code && r->text[w.at - 1] != '\n'))
			continue;
		if (extract_is_invented(r->text + w.at,
					text_line_end(r->text, w.at, r->length) - w.at))
			return w.at;
	}
	return SIZE_MAX;
}

/* Cut the reply where the model continues as another speaker after its code. */
static void extract_cut_invented(struct reading *r)
{
	size_t i = extract_find_invented(r);

	if (i == SIZE_MAX)
		return;
	r->invented = true;
	r->length = i;
	extract_note(r,
		     "You wrote the result or the next turn yourself. That part was ignored: "
		     "wait for the real result.");
	fences_find(r->text, r->length, &r->fences);
	text_calls_fini(&r->calls);
	text_calls_find(r->text, r->length, &r->fences, &r->calls);
}

static void extract_take_calls(struct reading *r, struct extract *out)
{
	const struct text_calls *calls = &r->calls;

	out->calls = own_zeroed(calls->count, sizeof(*out->calls));
	for (size_t i = 0; i < calls->count; i++) {
		auto_buf struct buf one = {0};
		struct buf arguments = {0};

		code_of_argument(calls->items[i].code, &one, &r->found);
		code_add(buf_string(&one), one.length, &r->code);
		json_put_begin(&arguments, NULL, '{');
		json_put_bytes(&arguments, "code", one.data, one.length);
		json_put_end(&arguments, '}');
		out->calls[out->call_count++] = (struct chat_call){
			.name = own_strdup(TOOL_NAME), .arguments = buf_take(&arguments)};
		if (!out->description && calls->items[i].description)
			out->description = code_description(calls->items[i].description);
	}
}

/* Ignore blocks that contain a call of final_answer: they are not code. */
static void extract_take_code(struct reading *r)
{
	for (size_t i = 0; r->calls.answer && i < r->fences.count; i++) {
		struct fence *f = &r->fences.items[i];

		if (r->calls.answer_start >= f->outer && r->calls.answer_start < f->after)
			f->kind = FENCE_OTHER;
	}
	if (!r->calls.answer || r->fences.count)
		code_of_reply(r->text, r->length, &r->fences, &r->answer, &r->code, &r->found);
}

/* Ignore an answer within a call: the call's code prints it. */
static bool extract_is_in_call(const struct reading *r)
{
	const struct answer_tag *a = &r->answer;

	for (size_t i = 0; i < r->calls.count; i++)
		if ((a->outer >= r->calls.items[i].start && a->outer < r->calls.items[i].end) ||
		    (a->unopened && a->after > r->calls.items[i].start))
			return true;
	return false;
}

static void extract_take_answer(struct reading *r, struct extract *out)
{
	const struct answer_tag *a = &r->answer;
	const char *text = r->text + a->start;
	size_t length = a->end - a->start;

	if (!a->found || extract_is_in_call(r)) {
		text = r->calls.answer;
		length = text ? strlen(text) : 0;
	}
	if (!text)
		return;
	if (answer_is_placeholder(text, length)) {
		r->mistaken = true;
		extract_note(
			r,
			"Your <FINAL_ANSWER> was empty. Put the answer itself between the tags.");
		return;
	}
	if (r->code.length == 0) {
		out->answer = own_strndup(text, length);
		return;
	}
	out->early_answer = own_strndup(text, length);
	if (code_is_all(&r->fences, a))
		extract_note(r,
			     "Your <FINAL_ANSWER> held only code. It was run. Give the answer in "
			     "words.");
	else
		extract_note(r,
			     "Your <FINAL_ANSWER> came together with code, before its result. "
			     "Read the result, then give the answer without code.");
}

static void extract_note_calls(struct reading *r)
{
	r->mistaken |= (r->calls.broken || r->calls.unknown) && !r->code.length;
	if (r->calls.broken && !r->code.length)
		extract_note(r, "Your call of " TOOL_NAME
				" could not be read. Its argument must be "
				"{\"code\": \"...\"}, valid JSON.");
	if (r->calls.unknown && !r->code.length) {
		auto_buf struct buf text = {0};

		buf_text(&text, "There is no tool ");
		buf_json_text(&text, r->calls.unknown);
		buf_text(&text, ". The only tool is " TOOL_NAME ", its argument is code.");
		extract_note(r, buf_string(&text));
	}
}

static void extract_note_code(struct reading *r)
{
	r->foreign =
		r->found.other_language && !r->code.length && !r->answer.found && !r->calls.answer;
	if (r->foreign)
		extract_note(r, "Only Python can be run. Write it in one ```python block.");
}

/* Return the end of the code at i (a call, a block of Python, or one taken for it); 0: none. */
static size_t extract_code_end(const struct reading *r, size_t i)
{
	for (size_t k = 0; k < r->calls.count; k++)
		if (i >= r->calls.items[k].start && i < r->calls.items[k].end)
			return r->calls.items[k].end;
	for (size_t k = 0; k < r->fences.count; k++) {
		const struct fence *f = &r->fences.items[k];

		if (i >= f->outer && i < f->after &&
		    (f->kind == FENCE_PYTHON || (f->kind == FENCE_PLAIN && r->code.length)))
			return f->after;
	}
	return 0;
}

/* Whether there are words outside of the code. */
static bool extract_has_words(const struct reading *r)
{
	if (r->code.length && !r->calls.count && !r->fences.count)
		return false; /* the whole reply was taken for code */
	for (size_t i = 0; i < r->length; i++) {
		size_t code = extract_code_end(r, i);

		if (code)
			i = code - 1;
		else if (text_is_word(r->text[i]))
			return true;
	}
	return false;
}

static void extract_read_text(struct reading *r, struct extract *out)
{
	fences_find(r->text, r->length, &r->fences);
	text_calls_find(r->text, r->length, &r->fences, &r->calls);
	extract_cut_invented(r);
	answer_tag_find(r->text, r->length, &r->fences, &r->answer);
	if (r->calls.count)
		extract_take_calls(r, out);
	else
		extract_take_code(r);
	extract_take_answer(r, out);
	extract_note_calls(r);
	extract_note_code(r);
	out->code_unclosed = r->found.unclosed;
	out->code_in_answer = r->found.in_answer && out->answer;
	out->words = extract_has_words(r);
	if (!r->code.length && !out->answer && !r->answer.found &&
	    (!out->words || answer_is_placeholder(r->text, r->length)))
		r->mistaken = true;
}

static void extract_hand_over(struct reading *r, struct extract *out)
{
	out->code = r->code.length ? buf_take(&r->code) : NULL;
	out->note = r->note.length ? buf_take(&r->note) : NULL;
	out->mistaken = r->mistaken;
	out->foreign = r->foreign;
	out->invented = r->invented;
	text_calls_fini(&r->calls);
}

void extract_reply(const char *content, struct extract *out)
{
	auto_buf struct buf text = {0};
	struct reading r = {0};

	*out = (struct extract){0};
	out->thinking_unclosed = !reply_text(content, &text);
	r.text = buf_string(&text);
	r.length = text.length;
	out->empty = !out->thinking_unclosed && strspn(r.text, " \t\n") == r.length;
	if (out->thinking_unclosed)
		extract_note(
			&r,
			"Your reply ended while you were still thinking. Think less, then reply.");
	else if (out->empty)
		extract_note(&r,
			     "Your reply was empty. Reply with code to run, or with "
			     "<FINAL_ANSWER>the answer</FINAL_ANSWER>.");
	else
		extract_read_text(&r, out);
	out->text = own_strndup(r.text, r.length);
	extract_hand_over(&r, out);
}

int extract_call(const struct chat_call *call, struct extract *out)
{
	size_t used;
	struct reading r = {0};
	char *description = NULL;
	struct json *arguments = NULL;
	char *code = NULL;

	*out = (struct extract){0};
	out->text = own_strdup("");
	if (!call->name || !call_name_is_ours(call->name)) {
		r.calls.unknown = own_strndup(call->name ? call->name : "", CALL_NAME_MAX);
	} else {
		arguments = call->arguments
				    ? call_json(call->arguments, strlen(call->arguments), &used)
				    : NULL;
		code = arguments ? call_code(arguments, &description) : NULL;
		r.calls.broken = !code;
	}
	if (code)
		code_of_argument(code, &r.code, &r.found);
	if (description)
		out->description = code_description(description);
	if (code && !r.code.length)
		r.calls.broken = true;
	extract_note_calls(&r);
	extract_note_code(&r);
	extract_hand_over(&r, out);
	json_free(arguments);
	free(description);
	free(code);
	return out->code ? 0 : -1;
}

void extract_answer_in_call(struct chat_message *m)
{
	const struct chat_call *call = m->calls;
	auto_buf struct buf text = {0};
	auto_json struct json *arguments = NULL;
	auto_free char *answer = NULL;
	size_t used;

	if (m->call_count != 1 || !call->name || !call->arguments ||
	    !call_name_is_answer(call->name))
		return;
	arguments = call_json(call->arguments, strlen(call->arguments), &used);
	answer = arguments ? call_answer(arguments) : NULL;
	if (!answer)
		return;
	buf_printf(&text, "%s\n<FINAL_ANSWER>", m->content);
	buf_text(&text, answer);
	buf_text(&text, "</FINAL_ANSWER>");
	free(m->content);
	m->content = buf_take(&text);
	chat_calls_free(m->calls, m->call_count);
	m->calls = NULL;
	m->call_count = 0;
}

void extract_fini(struct extract *x)
{
	chat_calls_free(x->calls, x->call_count);
	free(x->text);
	free(x->code);
	free(x->description);
	free(x->answer);
	free(x->early_answer);
	free(x->note);
	*x = (struct extract){0};
}
