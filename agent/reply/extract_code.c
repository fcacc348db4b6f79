/*
 * extract_code - decide which parts of a reply are its code.
 */
#include "agent/reply/extract_code.h"

#include <stdint.h>

#include "agent/data/python_lexer.h"
#include "agent/data/text.h"
#include "agent/reply/python_guess.h"
#include "agent/reply/reply_text.h"

enum { TAGS_TRIED = 16 };

/* Tags in which some models were trained to write code. Only at the start of a line. */
static const struct code_tag {
	const char *open;
	const char *close;
} tags[] = {
	{"<code>",    "</code>"   },
	{"<execute>", "</execute>"},
};

void code_add(const char *code, size_t length, struct buf *out)
{
	size_t start = 0;

	for (size_t i = 0; i < length && isspace((unsigned char)code[i]); i++)
		if (code[i] == '\n')
			start = i + 1;
	while (length > start && isspace((unsigned char)code[length - 1]))
		length--;
	if (length == start)
		return;
	if (out->length)
		buf_text(out, PYTHON_NEXT_BLOCK);
	buf_add(out, code + start, length - start);
	buf_text(out, "\n");
}

bool code_is_all(const struct fences *fences, const struct answer_tag *answer)
{
	for (size_t i = 0; answer->found && i < fences->count; i++) {
		const struct fence *f = &fences->items[i];

		if (f->kind == FENCE_PYTHON && f->outer == answer->start && f->after >= answer->end)
			return true;
	}
	return false;
}

static bool extract_code_is_in_answer(const struct fence *f, const struct answer_tag *answer)
{
	return answer->complete && f->outer >= answer->outer && f->after <= answer->after;
}

/* Append a block, but once if it occurs twice in a row. */
static void extract_code_add_block(const char *text, const struct fence *f, struct buf *out,
				   struct code_found *found)
{
	auto_buf struct buf content = {0};
	size_t before = out->length;
	size_t start = before ? before + strlen(PYTHON_NEXT_BLOCK) : 0;

	fence_content(text, f, &content);
	code_add(buf_string(&content), content.length, out);
	found->unclosed = !f->closed && out->length > before;
	if (out->length == before)
		return;
	if (out->length - start == before - found->last &&
	    !memcmp(buf_string(out) + start, buf_string(out) + found->last, before - found->last))
		buf_cut(out, before);
	else
		found->last = start;
}

static bool extract_code_add_blocks(const char *text, const struct fences *fences,
				    enum fence_kind kind, const struct answer_tag *answer,
				    struct buf *out, struct code_found *found)
{
	bool all = code_is_all(fences, answer);
	bool any = false;

	for (size_t i = 0; i < fences->count; i++) {
		const struct fence *f = &fences->items[i];

		found->other_language |= f->kind == FENCE_OTHER && !f->in_line;
		if (f->kind != kind)
			continue;
		/* A block without a language may be output, a tree of files, a command. */
		if (kind == FENCE_PLAIN && !python_guess_block(text + f->start, f->end - f->start))
			continue;
		if (extract_code_is_in_answer(f, answer) && !all) {
			found->in_answer |= kind == FENCE_PYTHON;
			continue;
		}
		extract_code_add_block(text, f, out, found);
		any = true;
	}
	return any;
}

static const struct code_tag *extract_code_tag_at(const char *p, size_t left)
{
	for (size_t k = 0; k < sizeof(tags) / sizeof(tags[0]); k++)
		if (text_begins(p, left, tags[k].open))
			return &tags[k];
	return NULL;
}

/* Append the code in <code>...</code>. */
static bool extract_code_add_tagged(const char *text, size_t length, struct buf *out)
{
	unsigned tries = 0;

	for (size_t i = 0; i < length && tries < TAGS_TRIED; i = text_next_line(text, i, length)) {
		const struct code_tag *tag = extract_code_tag_at(text + i, length - i);
		const char *start = tag ? text + i + strlen(tag->open) : NULL;
		const char *end;

		if (!tag)
			continue;
		tries++;
		end = memmem(start, (size_t)(text + length - start), tag->close,
			     strlen(tag->close));
		if (end && python_guess_block(start, (size_t)(end - start))) {
			code_add(start, (size_t)(end - start), out);
			return true;
		}
	}
	return false;
}

static bool extract_code_is_indented(const char *line, size_t length)
{
	return length && (*line == '\t' || (length > 4 && !memcmp(line, "    ", 4)));
}

/* Append indented blocks: indented lines after a blank one. */
static void extract_code_add_indented(const char *text, size_t length, struct buf *out)
{
	size_t start = SIZE_MAX;
	bool after_blank = true;

	for (size_t i = 0, end; i <= length; i = end + 1) {
		bool indented;
		bool blank;

		end = text_line_end(text, i, length);
		indented = extract_code_is_indented(text + i, end - i);
		blank = text_pass(text, i, end, " \t") == end && i < length;
		if (start == SIZE_MAX && after_blank && indented) {
			start = i;
		} else if (start != SIZE_MAX && !blank && !indented) {
			if (python_guess_reply(text + start, i - start))
				code_add(text + start, i - start, out);
			start = SIZE_MAX;
		}
		after_blank = blank;
	}
	if (start != SIZE_MAX && python_guess_reply(text + start, length - start))
		code_add(text + start, length - start, out);
}

void code_of_reply(const char *text, size_t length, const struct fences *fences,
		   const struct answer_tag *answer, struct buf *out, struct code_found *found)
{
	if (extract_code_add_blocks(text, fences, FENCE_PYTHON, answer, out, found) ||
	    found->in_answer)
		return;
	if (extract_code_add_blocks(text, fences, FENCE_PLAIN, answer, out, found))
		return;
	if (answer->found) /* text before the answer is prose, or belongs to it */
		length = answer->outer;
	if (fences->count || extract_code_add_tagged(text, length, out))
		return;
	if (python_guess_reply(text, length))
		code_add(text, length, out);
	else
		extract_code_add_indented(text, length, out);
}

void code_of_argument(const char *code, struct buf *out, struct code_found *found)
{
	static const struct answer_tag no_answer;
	auto_buf struct buf plain = {0};
	size_t before = out->length;
	struct fences fences;

	reply_line_ends(code, strlen(code), &plain);
	code = buf_string(&plain);
	fences_find(code, plain.length, &fences);
	if (fences.count && strspn(code, " \t\n") == fences.items[0].outer)
		code_of_reply(code, plain.length, &fences, &no_answer, out, found);
	if (out->length == before)
		code_add(code, plain.length, out);
}

char *code_description(const char *text)
{
	struct buf line = {.cap = 200};

	text += strspn(text, " \t\n");
	for (; *text && *text != '\n'; text++)
		if (!iscntrl((unsigned char)*text))
			buf_add(&line, text, 1);
	return buf_take(&line);
}
