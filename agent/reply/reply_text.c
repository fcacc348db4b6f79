/*
 * reply_text - a reply without what a server should have taken out of it.
 */
#include "agent/reply/reply_text.h"

#include "agent/reply/begins.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "agent/reply/prose.h"
#include "agent/reply/thinking.h"

/* The beginning of another speaker's turn: the reply ends there. */
static const char *const other_turns[] = {
	"<|im_start|>user",
	"<|im_start|>system",
	"<|im_start|>tool",
	"<|start_header_id|>user",
	"<|start_header_id|>ipython",
	"<|start_header_id|>tool",
	"<start_of_turn>user",
	"<|user|>",
	"<|system|>",
	"<|tool|>",
	"<|tool_response|>",
	"<tool_response>",
	"<\xef\xbd\x9cUser\xef\xbd\x9c>",
};

/*
 * Removed; of those that begin alike the longest comes first. What does not begin with "<|" may be
 * markup in the text, so it is removed only at the ends of a line.
 */
static const char *const tokens[] = {
	"<|im_start|>assistant",
	"<|im_start|>",
	"<|im_end|>",
	"<|start_header_id|>assistant<|end_header_id|>",
	"<|start_header_id|>",
	"<|end_header_id|>",
	"<|begin_of_text|>",
	"<|eot_id|>",
	"<|eom_id|>",
	"<|endoftext|>",
	"<|end_of_text|>",
	"<|assistant|>",
	"<|end|>",
	"<|start|>assistant",
	"<|channel|>final<|message|>",
	"<|return|>",
	"<start_of_turn>model",
	"<start_of_turn>",
	"<end_of_turn>",
	"<eos>",
	"<bos>",
	"</s>",
	"<s>",
	"[/INST]",
	"<\357\275\234Assistant\357\275\234>",
	"<\357\275\234end\342\226\201of\342\226\201sentence\357\275\234>",
};

static const char *const roles[] = {"assistant", "ai", "response", "bot", "chatgpt"};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *reply_text_token_at(const char *text, size_t i, size_t length,
				       const char *const *list, size_t count)
{
	if (text[i] != '<' && text[i] != '[')
		return NULL;
	for (size_t k = 0; k < count; k++)
		if (begins(text + i, length - i, list[k]))
			return thinking_quoted(text, length, i, strlen(list[k])) ? NULL : list[k];
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

static size_t reply_text_skip_space(const char *text, size_t i, size_t length)
{
	while (i < length && isspace((unsigned char)text[i]))
		i++;
	return i;
}

/* The length of "assistant:", "**Assistant**:", "### Response:" before the reply. */
static size_t reply_text_role_length(const char *text, size_t length)
{
	size_t i = 0;
	size_t n = 0;

	while (i < length && strchr("*#[ ", text[i]))
		i++;
	for (size_t k = 0; k < COUNT_OF(roles) && !n; k++)
		if (begins(text + i, length - i, roles[k]))
			n = strlen(roles[k]);
	if (!n)
		return 0;
	i += n;
	n = i;
	while (i < length && strchr("*]:", text[i]))
		i++;
	/* Without a colon it is a role only if it is alone on its line. */
	if (!memchr(text + n, ':', i - n) && (i == length || text[i] != '\n' || i > n))
		return 0;
	return i;
}

/* Skip a token of n bytes, and a role after it if it is the first. */
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

bool reply_text(const char *content, struct buf *out)
{
	auto_buf struct buf plain = {0};
	size_t length = strnlen(content, REPLY_BYTES);
	size_t i = 0;
	struct prose w;

	for (size_t k = 0; k < length; k++)
		if (content[k] != '\r' || content[k + 1] != '\n')
			buf_add(&plain, content[k] == '\r' ? "\n" : content + k, 1);
	content = buf_string(&plain);
	length = plain.length;
	if (!thinking_end(content, length, &i))
		return false;
	i = reply_text_skip_space(content, i, length);
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
