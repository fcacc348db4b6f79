/*
 * thinking - where the thinking in a reply ends.
 */
#include "agent/reply/thinking.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "agent/data/tag.h"
#include "agent/reply/prose.h"

static bool thinking_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/*
 * Quotes on both sides may belong to other words, as in `sales`</think>`sales`. Then the left ones
 * end something, and the right ones begin something. Three backticks are a fence.
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
	ends_left = left > 0 &&
		    (thinking_is_word(text[left - 1]) || strchr(".,!?)]}%", text[left - 1]));
	ends_left |= fence && (left == 0 || text[left - 1] == '\n');
	begins_right = right < length &&
		       (thinking_is_word(text[right]) || strchr("$(<[{#@~/-", text[right]));
	begins_right |= fence && (right == length || text[right] == '\n');
	return !(ends_left && begins_right);
}

/* A tag at i that is not only mentioned. Returns its length, or 0. */
static size_t thinking_tag_at(const char *text, size_t i, size_t length, bool *closing)
{
	struct tag tag = tag_read(text + i, length - i);

	*closing = tag.closing;
	return tag.kind == TAG_THINKING && !thinking_quoted(text, length, i, tag.length)
		       ? tag.length
		       : 0;
}

/* A tag outside thinking that is text of a closed block. `opened`: where one was opened. */
static bool thinking_is_text(const struct prose *w, bool closing, size_t *opened)
{
	if (!prose_in_fence(w) || !w->fence.sealed || (closing && *opened != w->fence.outer))
		return false;
	*opened = closing ? SIZE_MAX : w->fence.outer;
	return true;
}

bool thinking_end(const char *text, size_t length, size_t *end)
{
	bool thinking = false;
	size_t opened = SIZE_MAX;
	struct prose w;

	*end = 0;
	prose_start(&w, text, length, 0);
	while (w.at < length) {
		bool closing = false;
		size_t n = thinking_tag_at(text, w.at, length, &closing);

		if (!n || (!thinking && thinking_is_text(&w, closing, &opened))) {
			prose_step(&w);
			continue;
		}
		thinking = !closing;
		prose_again(&w, w.at + n);
		if (closing)
			*end = w.at;
	}
	return !thinking;
}
