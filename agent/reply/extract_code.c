/*
 * extract_code - which parts of a reply are its code, repaired.
 */
#include "agent/reply/extract_code.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/reply/python_guess.h"

enum { TAGS_TRIED = 16 };

/* Some models were trained to write code in tags. Only at the beginning of a line. */
static const char *const tags[] = {"code", "python", "execute", "execute_ipython", "script"};

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

/* A block that occurs twice in a row is run once. */
static void extract_code_add_block(const char *text, const struct fence *f, struct buf *out,
				   struct code_found *found)
{
	auto_buf struct buf content = {0};
	size_t before = out->length;

	fence_content(text, f, &content);
	python_repair(buf_string(&content), content.length, out, &found->repairs);
	found->unclosed = !f->closed && out->length > before;
	if (out->length - before == before - found->last &&
	    !memcmp(buf_string(out) + before, buf_string(out) + found->last, before - found->last))
		buf_cut(out, before);
	else
		found->last = before;
}

/* Without a language it may be anything: output, a tree of files, a command. */
static bool extract_code_is_code(const char *text, const struct fence *f)
{
	return python_guess_block(text + f->start, f->end - f->start);
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
		if (f->kind != kind || (kind == FENCE_PLAIN && !extract_code_is_code(text, f)))
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

/* The length of "<code>" at i, and the tag that closes it. */
static size_t extract_code_tag_at(const char *text, size_t i, size_t length, char closing[32])
{
	for (size_t k = 0; k < sizeof(tags) / sizeof(tags[0]); k++) {
		int n = snprintf(closing, 32, "</%s>", tags[k]);
		size_t open = (size_t)n - 1;

		if (length - i > open && text[i] == '<' &&
		    !strncasecmp(text + i + 1, closing + 2, open - 1))
			return open;
	}
	return 0;
}

/* <code>...</code> */
static bool extract_code_add_tagged(const char *text, size_t length, struct buf *out,
				    struct code_found *found)
{
	unsigned tries = 0;

	for (size_t i = 0; i < length && tries < TAGS_TRIED;) {
		const char *newline = memchr(text + i, '\n', length - i);
		char closing[32];
		size_t start = i + extract_code_tag_at(text, i, length, closing);
		const char *end = NULL;

		if (start > i) {
			end = memmem(text + start, length - start, closing, strlen(closing));
			tries++;
		}
		if (end && python_guess_block(text + start, (size_t)(end - text) - start)) {
			python_repair(text + start, (size_t)(end - text) - start, out,
				      &found->repairs);
			return true;
		}
		i = newline ? (size_t)(newline - text) + 1 : length;
	}
	return false;
}

static bool extract_code_is_indented(const char *line, size_t length)
{
	return length && (*line == '\t' || (length > 4 && !memcmp(line, "    ", 4)));
}

/* Markdown's other blocks of code: indented lines after a blank one. */
static void extract_code_add_indented(const char *text, size_t length, struct buf *out,
				      struct code_found *found)
{
	size_t start = SIZE_MAX;
	bool after_blank = true;

	for (size_t i = 0; i <= length;) {
		const char *newline = i < length ? memchr(text + i, '\n', length - i) : NULL;
		size_t end = newline ? (size_t)(newline - text) : length;
		bool blank = strspn(text + i, " \t") >= end - i && i < length;

		if (start == SIZE_MAX && after_blank &&
		    extract_code_is_indented(text + i, end - i)) {
			start = i;
		} else if (start != SIZE_MAX && !blank &&
			   !extract_code_is_indented(text + i, end - i)) {
			if (python_guess_reply(text + start, i - start))
				python_repair(text + start, i - start, out, &found->repairs);
			start = SIZE_MAX;
		}
		after_blank = blank;
		i = end + 1;
	}
	if (start != SIZE_MAX && python_guess_reply(text + start, length - start))
		python_repair(text + start, length - start, out, &found->repairs);
}

void code_of_reply(const char *text, size_t length, const struct fences *fences,
		   const struct answer_tag *answer, struct buf *out, struct code_found *found)
{
	if (extract_code_add_blocks(text, fences, FENCE_PYTHON, answer, out, found) ||
	    found->in_answer)
		return;
	if (extract_code_add_blocks(text, fences, FENCE_PLAIN, answer, out, found))
		return;
	if (answer->found) /* what is before it is prose, or belongs to the answer */
		length = answer->outer;
	if (fences->count || extract_code_add_tagged(text, length, out, found))
		return;
	if (python_guess_reply(text, length))
		python_repair(text, length, out, &found->repairs);
	else
		extract_code_add_indented(text, length, out, found);
}

void code_of_argument(const char *code, struct buf *out, struct code_found *found)
{
	static const struct answer_tag no_answer;
	size_t before = out->length;
	struct fences fences;

	if (strstr(code, "```")) {
		fences_find(code, strlen(code), &fences);
		if (fences.count && strspn(code, " \t\n") == fences.items[0].outer) {
			extract_code_add_blocks(code, &fences, FENCE_PYTHON, &no_answer, out,
						found);
			if (out->length == before)
				extract_code_add_blocks(code, &fences, FENCE_PLAIN, &no_answer, out,
							found);
		}
	}
	if (out->length == before)
		python_repair(code, strlen(code), out, &found->repairs);
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
