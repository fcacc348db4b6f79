/*
 * answer_tag - find the final answer in a reply.
 */
#include "agent/reply/answer_tag.h"

#include <string.h>
#include <strings.h>

#include "agent/data/tag.h"
#include "agent/data/text.h"

/* Whether a tag is only mentioned: in quotes, or as "<FINAL_ANSWER> tags". */
static bool answer_tag_is_mentioned(const char *text, size_t i, size_t after, size_t length)
{
	bool fence = i >= 3 && !memcmp(text + i - 3, "```", 3);

	return (i > 0 && !fence && strchr("`'\"", text[i - 1])) ||
	       text_begins(text + after, length - after, " tag");
}

/* Return the end of the code that contains i; else 0. */
static size_t answer_tag_end_of_code(const struct fences *fences, size_t i)
{
	for (size_t k = 0; k < fences->count; k++) {
		const struct fence *f = &fences->items[k];

		if (f->kind != FENCE_OTHER && i >= f->start && i < f->end)
			return f->end;
	}
	return 0;
}

/* Trim an answer without closing tag: a part of that tag, or a fence around it. */
static void answer_tag_trim_unclosed(const char *text, struct answer_tag *a)
{
	static const char closing[] = "</FINAL_ANSWER>";

	text_trim(text, &a->start, &a->end);
	for (size_t n = sizeof(closing) - 2; n >= 2; n--) {
		if (a->end - a->start < n || strncasecmp(text + a->end - n, closing, n))
			continue;
		a->end -= n;
		break;
	}
	text_trim(text, &a->start, &a->end);
	if (a->end - a->start > 3 && !memcmp(text + a->end - 4, "\n```", 4))
		a->end -= 3;
	text_trim(text, &a->start, &a->end);
}

/* Find a heading: "**Final answer:** 42", "## Final Answer". */
static void answer_tag_find_heading(const char *text, size_t length, const struct fences *fences,
				    struct answer_tag *out)
{
	for (size_t line = 0; line < length; line = text_next_line(text, line, length)) {
		size_t i = text_pass(text, line, length, "*#_ ");
		bool marked = i > line;
		bool code = answer_tag_end_of_code(fences, line);
		size_t n = code ? 0 : tag_answer_words(text + i, length - i);
		size_t after = n ? text_pass(text, i + n, length, "*_: ") : i;

		if (n && (memchr(text + i + n, ':', after - i - n) ||
			  (marked && (after == length || text[after] == '\n')))) {
			*out = (struct answer_tag){.found = true,
						   .outer = line,
						   .start = after,
						   .end = length,
						   .after = length};
		}
	}
	if (out->found)
		text_trim(text, &out->start, &out->end);
}

/* "It is 4.</FINAL_ANSWER>": the answer is the text between the last code and the tag at i. */
static struct answer_tag answer_tag_never_opened(const char *text, const struct fences *fences,
						 size_t i, size_t after)
{
	struct answer_tag a = {
		.found = true, .complete = true, .unopened = true, .end = i, .after = after};

	for (size_t k = 0; k < fences->count && fences->items[k].after <= i; k++)
		a.start = a.outer = fences->items[k].after;
	text_trim(text, &a.start, &a.end);
	return a;
}

void answer_tag_find(const char *text, size_t length, const struct fences *fences,
		     struct answer_tag *out)
{
	struct answer_tag open = {0};

	*out = (struct answer_tag){0};
	for (size_t i = 0; i < length; i++) {
		struct tag tag = tag_read(text + i, length - i);
		size_t n = tag.kind == TAG_ANSWER ? tag.length : 0;
		size_t code = n ? answer_tag_end_of_code(fences, i) : 0;

		if (code && !open.found) {
			i = code - 1;
			continue;
		}
		if (!n || answer_tag_is_mentioned(text, i, i + n, length))
			continue;
		if (open.found && (tag.closing || strspn(text + i + n, " \n") == length - i - n)) {
			open.end = i;
			open.after = i + n;
			open.complete = true;
			text_trim(text, &open.start, &open.end);
			if (open.end > open.start || !out->found)
				*out = open;
			open = (struct answer_tag){0};
		} else if (tag.closing && !open.found && !out->found) {
			*out = answer_tag_never_opened(text, fences, i, i + n);
		} else if (!tag.closing) {
			open = (struct answer_tag){.found = true, .outer = i, .start = i + n};
		}
		i += n - 1;
	}
	if (open.found && !out->found) {
		*out = open;
		out->end = out->after = length;
		answer_tag_trim_unclosed(text, out);
	}
	if (!out->found)
		answer_tag_find_heading(text, length, fences, out);
}

bool answer_is_placeholder(const char *text, size_t length)
{
	static const char *const ours[] = {
		"...",
		"the answer",
		"your answer",
		"the answer in words",
		"the answer in words, with the numbers and the files that you made",
	};
	size_t start = 0;

	text_trim(text, &start, &length);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (length - start == strlen(ours[i]) &&
		    text_begins(text + start, length - start, ours[i]))
			return true;
	return length == start;
}
