/*
 * reply_text - remove from a reply what a server should have removed.
 */
#include "agent/reply/reply_text.h"

#include <stdint.h>

#include "agent/data/tag.h"
#include "agent/data/text.h"
#include "agent/reply/prose.h"

/* Beginnings of another speaker's turn, which end the reply. */
static const char *const other_turns[] = {
	"<|im_start|>user",
	"<|im_start|>system",
	"<start_of_turn>user",
	"<tool_response>",
};

/*
 * Tokens to remove, the longer ones first among those that begin alike. A token that does not begin
 * with "<|" may be markup in the text, so it is removed only at the ends of a line.
 */
static const char *const tokens[] = {
	"<|im_start|>assistant",
	"<|im_start|>",
	"<|im_end|>",
	"<|start_header_id|>assistant<|end_header_id|>",
	"<|start_header_id|>",
	"<|end_header_id|>",
	"<|eot_id|>",
	"<|eom_id|>",
	"<|end|>",
	"<|start|>assistant",
	"<|channel|>final<|message|>",
	"<|return|>",
	"</s>",
	"<s>",
	"[/INST]",
};

static const char *const roles[] = {"assistant", "response"};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Whether quotes surround a tag. Quotes on both sides may belong to other words, as in
 * `sales`</think>`sales`: then the left ones close, and the right ones open. Three backticks are a
 * fence.
 */
static bool reply_text_is_quoted(const char *text, size_t length, size_t i, size_t n)
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
	ends_left =
		left > 0 && (text_is_word(text[left - 1]) || strchr(".,!?)]}%", text[left - 1]));
	ends_left |= fence && (left == 0 || text[left - 1] == '\n');
	begins_right =
		right < length && (text_is_word(text[right]) || strchr("$(<[{#@~/-", text[right]));
	begins_right |= fence && (right == length || text[right] == '\n');
	return !(ends_left && begins_right);
}

/* Return the length of a thinking tag at i that is not only mentioned; else 0. */
static size_t reply_text_thinking_at(const char *text, size_t i, size_t length, bool *closing)
{
	struct tag tag = tag_read(text + i, length - i);

	*closing = tag.closing;
	return tag.kind == TAG_THINKING && !reply_text_is_quoted(text, length, i, tag.length)
		       ? tag.length
		       : 0;
}

/* Whether a tag outside thinking is text of a closed block. `opened`: start of its open tag. */
static bool reply_text_is_code(const struct prose *w, bool closing, size_t *opened)
{
	if (!prose_in_fence(w) || !w->fence.sealed || (closing && *opened != w->fence.outer))
		return false;
	*opened = closing ? SIZE_MAX : w->fence.outer;
	return true;
}

/* Set *end to the start of the reply itself. False: the reply ends inside thinking. */
static bool reply_text_thinking_end(const char *text, size_t length, size_t *end)
{
	bool thinking = false;
	size_t opened = SIZE_MAX;
	struct prose w;

	*end = 0;
	prose_start(&w, text, length, 0);
	while (w.at < length) {
		bool closing = false;
		size_t n = reply_text_thinking_at(text, w.at, length, &closing);

		if (!n || (!thinking && reply_text_is_code(&w, closing, &opened))) {
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

static const char *reply_text_token_at(const char *text, size_t i, size_t length,
				       const char *const *list, size_t count)
{
	if (text[i] != '<' && text[i] != '[')
		return NULL;
	for (size_t k = 0; k < count; k++)
		if (text_begins(text + i, length - i, list[k]))
			return reply_text_is_quoted(text, length, i, strlen(list[k])) ? NULL
										      : list[k];
	return NULL;
}

static const char *reply_text_noise_at(const char *text, size_t i, size_t length)
{
	const char *token = reply_text_token_at(text, i, length, tokens, COUNT_OF(tokens));
	size_t after = i + (token ? strlen(token) : 0);

	if (!token || token[1] == '|' || i == 0 || text[i - 1] == '\n')
		return token;
	return after == length || text[after] == '\n' || text[after] == '<' ? token : NULL;
}

/* Return the length of "assistant:", "**Assistant**:", "### Response:" at the start. */
static size_t reply_text_role_length(const char *text, size_t length)
{
	size_t i = text_pass(text, 0, length, "*#[ ");
	size_t n = 0;

	for (size_t k = 0; k < COUNT_OF(roles) && !n; k++)
		if (text_begins(text + i, length - i, roles[k]))
			n = i + strlen(roles[k]);
	if (!n)
		return 0;
	i = text_pass(text, n, length, "*]:");
	/* Without a colon it is a role only if it is alone on its line. */
	if (!memchr(text + n, ':', i - n) && (i == length || text[i] != '\n' || i > n))
		return 0;
	return i;
}

/* Skip a token of n bytes, and a role behind the first one. */
static void reply_text_pass_token(struct prose *w, size_t n, const struct buf *out)
{
	size_t after = w->at + n;

	if (!out->length)
		after += reply_text_role_length(w->text + after, w->length - after);
	if (prose_in_fence(w))
		prose_skip(w, after);
	else
		prose_again(w, after);
}

void reply_line_ends(const char *text, size_t length, struct buf *out)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] != '\r' || text[i + 1] != '\n')
			buf_add(out, text[i] == '\r' ? "\n" : text + i, 1);
}

bool reply_text(const char *content, struct buf *out)
{
	auto_buf struct buf plain = {0};
	size_t length = strnlen(content, REPLY_BYTES);
	size_t i = 0;
	struct prose w;

	reply_line_ends(content, length, &plain);
	content = buf_string(&plain);
	length = plain.length;
	if (!reply_text_thinking_end(content, length, &i))
		return false;
	i = text_pass(content, i, length, " \t\n\v\f");
	i += reply_text_role_length(content + i, length - i);
	prose_start(&w, content, length, i);
	while (w.at < length) {
		const char *token = reply_text_noise_at(content, w.at, length);

		if (reply_text_token_at(content, w.at, length, other_turns, COUNT_OF(other_turns)))
			break;
		if (token) {
			reply_text_pass_token(&w, strlen(token), out);
			continue;
		}
		i = w.at;
		prose_step(&w);
		buf_add(out, content + i, w.at - i);
	}
	return true;
}
