/*
 * tag - tags around the thinking and the answer of a model, in all spellings.
 */
#include "agent/data/tag.h"

#include <string.h>
#include <strings.h>

static const struct pair {
	const char *open;
	const char *close;
} thinking[] = {
	{"<think>",			"</think>"                   },
	{"<thinking>",                     "</thinking>"                },
	{"<thought>",		      "</thought>"                 },
	{"<reasoning>",                    "</reasoning>"               },
	{"<reflection>",                   "</reflection>"              },
	{"[THINK]",			"[/THINK]"                   },
	{"<|begin_of_thought|>",           "<|end_of_thought|>"         },
	{"<seed:think>",                   "</seed:think>"              },
	{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"},
};

struct reader {
	const char *at;
	const char *end;
	bool cut; /* a match so far, but the text ends */
};

/* Skip a word, ignoring case. */
static bool tag_pass(struct reader *r, const char *word)
{
	size_t left = (size_t)(r->end - r->at);
	size_t length = strlen(word);

	if (strncasecmp(r->at, word, left < length ? left : length))
		return false;
	r->cut |= left < length;
	r->at += left < length ? 0 : length;
	return left >= length;
}

static void tag_pass_any(struct reader *r, const char *of, size_t most)
{
	for (; most && r->at < r->end && *r->at && strchr(of, *r->at); most--)
		r->at++;
}

static bool tag_pass_answer(struct reader *r)
{
	if (!tag_pass(r, "final"))
		return false;
	tag_pass_any(r, "_-\\ ", 3);
	return tag_pass(r, "answer");
}

size_t tag_answer_words(const char *text, size_t left)
{
	struct reader r = {.at = text, .end = text + left};

	return tag_pass_answer(&r) ? (size_t)(r.at - text) : 0;
}

/* Read <FINAL_ANSWER>, with a blank or a hyphen for the underscore, also in brackets. */
static struct tag tag_read_answer(const char *text, size_t left)
{
	struct reader r = {.at = text + 1, .end = text + left};
	bool closing = tag_pass(&r, "/");

	if (tag_pass_answer(&r)) {
		tag_pass_any(&r, " \\/", 24);
		r.cut |= r.at == r.end;
		if (r.at < r.end && (*r.at == '>' || *r.at == ']'))
			return (struct tag){
				.kind = TAG_ANSWER,
				.closing = closing,
				.length = (size_t)(r.at - text) + 1,
				.name = closing ? "</FINAL_ANSWER>" : "<FINAL_ANSWER>",
			};
	}
	return (struct tag){.kind = r.cut ? TAG_CUT : TAG_NONE};
}

struct tag tag_read(const char *text, size_t left)
{
	struct tag tag;

	if (!left || (*text != '<' && *text != '['))
		return (struct tag){.kind = TAG_NONE};
	tag = tag_read_answer(text, left);
	for (size_t i = 0; i < 2 * sizeof(thinking) / sizeof(thinking[0]); i++) {
		const struct pair *pair = &thinking[i / 2];
		struct reader r = {.at = text, .end = text + left};
		const char *name = i % 2 ? pair->close : pair->open;

		if (tag_pass(&r, name))
			return (struct tag){TAG_THINKING, i % 2, strlen(name), name};
		if (r.cut)
			tag.kind = TAG_CUT;
	}
	return tag;
}
