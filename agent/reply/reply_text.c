/*
 * reply_text - a reply without what a server should have taken out of it.
 */
#include "agent/reply/reply_text.h"

#include "agent/reply/begins.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "agent/reply/thinking.h"
#include "agent/reply/walk.h"

/* What begins somebody else's turn: the reply ends there. */
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
 * Left out; the longest of those that begin alike comes first. What does not begin with "<|"
 * may be markup in the text: those only at the ends of a line.
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

static const char *token_at(const char *text, size_t i, size_t length, const char *const *list,
			    size_t count)
{
	if (text[i] != '<' && text[i] != '[')
		return NULL;
	for (size_t k = 0; k < count; k++)
		if (begins(text + i, length - i, list[k]))
			return thinking_quoted(text, length, i, strlen(list[k])) ? NULL : list[k];
	return NULL;
}

static const char *noise_at(const char *text, size_t i, size_t length)
{
	const char *token = token_at(text, i, length, tokens, COUNT_OF(tokens));
	size_t after = i + (token ? strlen(token) : 0);

	if (!token || token[1] == '|' || i == 0 || text[i - 1] == '\n')
		return token;
	return after == length || text[after] == '\n' || text[after] == '<' ? token : NULL;
}

static size_t skip_space(const char *text, size_t i, size_t length)
{
	while (i < length && isspace((unsigned char)text[i]))
		i++;
	return i;
}

/* "assistant:", "**Assistant**:", "### Response:" before the reply: how long it is. */
static size_t role_length(const char *text, size_t length)
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
	/* Without a colon it is a role only where it has the line to itself. */
	if (!memchr(text + n, ':', i - n) && (i == length || text[i] != '\n' || i > n))
		return 0;
	return i;
}

/* A token of n bytes is left out, and a role behind it if it is the first. */
static void pass_token(struct walk *w, size_t n, const struct buf *out)
{
	size_t after = w->at + n;

	if (!out->length)
		after += role_length(w->text + after, w->length - after);
	if (walk_in_fence(w))
		walk_skip(w, after);
	else
		walk_again(w, after);
}

bool reply_text(const char *content, struct buf *out)
{
	auto_buf struct buf plain = {0};
	size_t length = strnlen(content, REPLY_BYTES);
	size_t i = 0;
	struct walk w;

	for (size_t k = 0; k < length; k++)
		if (content[k] != '\r' || content[k + 1] != '\n')
			buf_add(&plain, content[k] == '\r' ? "\n" : content + k, 1);
	content = buf_string(&plain);
	length = plain.length;
	if (!thinking_end(content, length, &i))
		return false;
	i = skip_space(content, i, length);
	i += role_length(content + i, length - i);
	walk_start(&w, content, length, i);
	while (w.at < length) {
		const char *token = noise_at(content, w.at, length);

		if (token_at(content, w.at, length, other_turns, COUNT_OF(other_turns)))
			break;
		if (token) {
			pass_token(&w, strlen(token), out);
			continue;
		}
		i = w.at;
		walk_step(&w);
		buf_add(out, content + i, w.at - i);
	}
	return true;
}
