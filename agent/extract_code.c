/*
 * extract_code - which parts of a reply are its code, repaired.
 */
#include "agent/extract_code.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "agent/call_text.h"
#include "agent/python_guess.h"

/* Some models were trained to act in tags. Only at the beginning of a line. */
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

static bool is_in_answer(const struct fence *f, const struct answer_tag *answer)
{
	return answer->complete && f->outer >= answer->outer && f->after <= answer->after;
}

static void add_block(const char *text, const struct fence *f, struct buf *out,
		      struct code_found *found)
{
	auto_buf struct buf content = {0};
	size_t before = out->length;

	fence_content(text, f, &content);
	python_repair(buf_string(&content), content.length, out, &found->repairs);
	found->unclosed = !f->closed && out->length > before;
}

/* Without a language it may be anything: what was printed, a tree of files, a command. */
static bool is_code(const char *text, const struct fence *f)
{
	return python_guess_block(text + f->start, f->end - f->start);
}

static bool add_blocks(const char *text, const struct fences *fences, enum fence_kind kind,
		       const struct answer_tag *answer, struct buf *out, struct code_found *found)
{
	bool all = code_is_all(fences, answer);
	bool any = false;

	for (size_t i = 0; i < fences->count; i++) {
		const struct fence *f = &fences->items[i];

		found->other_language |= f->kind == FENCE_OTHER && !f->in_line;
		if (f->kind != kind || (kind == FENCE_PLAIN && !is_code(text, f)))
			continue;
		if (is_in_answer(f, answer) && !all) {
			found->in_answer |= kind == FENCE_PYTHON;
			continue;
		}
		add_block(text, f, out, found);
		any = true;
	}
	return any;
}

static size_t tag_end(const char *line, size_t left, const char **name)
{
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t n = strlen(tags[i]);

		if (left < n + 2 || *line != '<' || strncasecmp(line + 1, tags[i], n))
			continue;
		if (line[n + 1] != '>')
			continue;
		*name = tags[i];
		return n + 2;
	}
	return 0;
}

/* <code>...</code> */
static bool add_tagged(const char *text, size_t length, struct buf *out, struct code_found *found)
{
	for (size_t i = 0; i < length;) {
		const char *newline = memchr(text + i, '\n', length - i);
		const char *name = NULL;
		size_t n = tag_end(text + i, length - i, &name);
		char closing[32] = "";
		const char *end;

		for (size_t k = 0; n && k < n; k++) /* "<code>" to "</code>" */
			closing[k + (k > 0)] = text[i + k];
		closing[1] = '/';
		end = n ? memmem(text + i, length - i, closing, n + 1) : NULL;
		if (end && python_guess_block(text + i + n, (size_t)(end - text) - i - n)) {
			python_repair(text + i + n, (size_t)(end - text) - i - n, out,
				      &found->repairs);
			return true;
		}
		i = newline ? (size_t)(newline - text) + 1 : length;
	}
	return false;
}

void code_of_reply(const char *text, size_t length, const struct fences *fences,
		   const struct answer_tag *answer, struct buf *out, struct code_found *found)
{
	if (add_blocks(text, fences, FENCE_PYTHON, answer, out, found) || found->in_answer)
		return;
	if (add_blocks(text, fences, FENCE_PLAIN, answer, out, found))
		return;
	if (answer->found) /* what stands before it is prose, or the answer's own */
		length = answer->outer;
	if (fences->count || add_tagged(text, length, out, found))
		return;
	if (python_guess_reply(text, length))
		python_repair(text, length, out, &found->repairs);
}

void code_of_argument(const char *code, struct buf *out, struct code_found *found)
{
	static const struct answer_tag no_answer;
	size_t before = out->length;
	struct fences fences;

	if (strstr(code, "```")) {
		fences_find(code, strlen(code), &fences);
		if (fences.count && strspn(code, " \t\n") == fences.items[0].outer) {
			add_blocks(code, &fences, FENCE_PYTHON, &no_answer, out, found);
			if (out->length == before)
				add_blocks(code, &fences, FENCE_PLAIN, &no_answer, out, found);
		}
	}
	if (out->length == before)
		python_repair(code, strlen(code), out, &found->repairs);
}

char *one_line(const char *text)
{
	struct buf line = {.cap = 200};

	text += strspn(text, " \t\n");
	for (; *text && *text != '\n'; text++)
		if (!iscntrl((unsigned char)*text))
			buf_add(&line, text, 1);
	return line.data ? line.data : copy_bytes("", 0);
}
