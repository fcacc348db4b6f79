/*
 * thinking - where in a reply it ends.
 */
#include "agent/reply/thinking.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "agent/reply/begins.h"
#include "agent/reply/walk.h"

static const struct tag {
	const char *open;
	const char *close;
} tags[] = {
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

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/*
 * Quotes on both sides may belong to others: `sales`</think>`sales`. Then the left ones end
 * something, and the right ones begin something. Of backticks, three are a fence.
 */
bool thinking_quoted(const char *text, size_t length, size_t i, size_t n)
{
	size_t left = i;
	size_t right = i + n;
	bool fence;
	bool ends_left;
	bool begins_right;

	if (i == 0 || !strchr("'\"`", text[i - 1]) || right >= length || text[right] != text[i - 1])
		return false;
	while (left > 0 && text[left - 1] == text[i - 1])
		left--;
	while (right < length && text[right] == text[i - 1])
		right++;
	fence = text[i - 1] == '`' && i - left >= 3;
	ends_left = left > 0 && (is_word(text[left - 1]) || strchr(".,!?)]}%", text[left - 1]));
	ends_left |= fence && (left == 0 || text[left - 1] == '\n');
	begins_right =
		right < length && (is_word(text[right]) || strchr("$(<[{#@~/-", text[right]));
	begins_right |= fence && (right == length || text[right] == '\n');
	return !(ends_left && begins_right);
}

/* A tag at i that is not talked about. Returns its length, or 0. */
static size_t tag_at(const char *text, size_t i, size_t length, bool *closing)
{
	size_t n = 0;

	if (text[i] != '<' && text[i] != '[')
		return 0;
	for (size_t k = 0; k < sizeof(tags) / sizeof(tags[0]) && !n; k++) {
		*closing = begins(text + i, length - i, tags[k].close);
		if (*closing)
			n = strlen(tags[k].close);
		else if (begins(text + i, length - i, tags[k].open))
			n = strlen(tags[k].open);
	}
	return n && !thinking_quoted(text, length, i, n) ? n : 0;
}

/* A tag outside thinking that is text of a closed block. `opened`: where one was opened. */
static bool is_text(const struct walk *w, bool closing, size_t *opened)
{
	if (!walk_in_fence(w) || !w->fence.sealed || (closing && *opened != w->fence.outer))
		return false;
	*opened = closing ? SIZE_MAX : w->fence.outer;
	return true;
}

bool thinking_end(const char *text, size_t length, size_t *end)
{
	bool thinking = false;
	size_t opened = SIZE_MAX;
	struct walk w;

	*end = 0;
	walk_start(&w, text, length, 0);
	while (w.at < length) {
		bool closing = false;
		size_t n = tag_at(text, w.at, length, &closing);

		if (!n || (!thinking && is_text(&w, closing, &opened))) {
			walk_step(&w);
			continue;
		}
		thinking = !closing;
		walk_again(&w, w.at + n);
		if (closing)
			*end = w.at;
	}
	return !thinking;
}
