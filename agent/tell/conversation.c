/*
 * conversation - hold the messages so far, and drop those that exceed the model's context.
 */
#include "agent/tell/conversation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

enum {
	IMAGE_TOKENS = 1000, /* between those of small and large models */
	MESSAGE_TOKENS = 6,  /* for the role, and the template's marks */
	ROUNDS_KEPT = 2,
	LEAST_PER_THOUSAND = 600,
	MOST_PER_THOUSAND = 2500,
	/* Fewer tokens justify neither a warning nor a correction. */
	LEAST_COUNTED = 200,
};

void conversation_fini(struct conversation *c)
{
	for (size_t i = 0; i < c->count; i++)
		chat_message_fini(&c->messages[i]);
	free(c->messages);
	*c = (struct conversation){0};
}

static void conversation_insert(struct conversation *c, size_t at, struct chat_message m)
{
	c->messages = own_grow(c->messages, c->count, sizeof(*c->messages));
	memmove(c->messages + at + 1, c->messages + at, (c->count - at) * sizeof(*c->messages));
	c->messages[at] = m;
	c->count++;
}

static bool conversation_has_system(const struct conversation *c)
{
	return c->count > 0 && c->messages[0].role == CHAT_SYSTEM;
}

void conversation_set_system(struct conversation *c, const char *text)
{
	struct chat_message m = chat_message_make(CHAT_SYSTEM, text);

	if (conversation_has_system(c)) {
		chat_message_fini(&c->messages[0]);
		c->messages[0] = m;
		return;
	}
	conversation_insert(c, 0, m);
	c->task += c->has_task;
}

void conversation_add_task(struct conversation *c, const char *text)
{
	conversation_insert(c, c->count, chat_message_make(CHAT_USER, text));
	c->task = c->count - 1;
	c->has_task = true;
}

void conversation_add(struct conversation *c, struct chat_message *m)
{
	conversation_insert(c, c->count, *m);
	*m = (struct chat_message){.role = m->role};
}

/* -- tokens ---------------------------------------------------------------------------------- */

/*
 * Estimate the tokens of a run of characters of one kind, as current tokenizers split them: a word
 * is one token up to some length, digits go by three or one by one, punctuation by pairs.
 */
static uint64_t conversation_run_tokens(const unsigned char *p, size_t n)
{
	if (isalpha(*p))
		return 1 + (n - 1) / 6;
	if (isdigit(*p))
		return 1 + n / 2;
	if (*p >= 0x80)
		return 1 + n / 3;
	if (*p == ' ')
		return n > 1; /* a single blank belongs to the next word */
	if (isspace(*p))
		return 1;
	return 1 + (n - 1) / 2;
}

static int conversation_kind_of(unsigned char c)
{
	if (isalpha(c))
		return 1;
	if (isdigit(c))
		return 2;
	if (c >= 0x80)
		return 3;
	if (c == ' ')
		return 4;
	return isspace(c) ? 5 : 6;
}

uint64_t conversation_text_tokens(const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;
	uint64_t sum = 0;

	for (size_t i = 0, n; i < length; i += n) {
		n = 1;
		while (i + n < length &&
		       conversation_kind_of(p[i + n]) == conversation_kind_of(p[i]))
			n++;
		sum += conversation_run_tokens(p + i, n);
	}
	return sum;
}

static uint64_t conversation_message_tokens(const struct chat_message *m)
{
	uint64_t sum = MESSAGE_TOKENS;

	if (m->content)
		sum += conversation_text_tokens(m->content, strlen(m->content));
	for (size_t i = 0; i < m->call_count; i++) {
		const char *arguments = m->calls[i].arguments;

		sum += MESSAGE_TOKENS + 4;
		sum += arguments ? conversation_text_tokens(arguments, strlen(arguments)) : 0;
	}
	sum += m->images.count * IMAGE_TOKENS;
	return sum; /* templates drop the thinking of earlier rounds */
}

static uint64_t conversation_estimate(const struct conversation *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->count; i++)
		sum += conversation_message_tokens(&c->messages[i]);
	return sum;
}

uint64_t conversation_tokens(const struct conversation *c)
{
	return conversation_estimate(c) * (c->per_thousand ? c->per_thousand : 1000) / 1000;
}

/* -- trimming -------------------------------------------------------------------------------- */

static void conversation_drop(struct conversation *c, size_t at, size_t count)
{
	for (size_t i = at; i < at + count; i++)
		chat_message_fini(&c->messages[i]);
	memmove(c->messages + at, c->messages + at + count,
		(c->count - at - count) * sizeof(*c->messages));
	c->count -= count;
	c->dropped += count;
	if (c->task > at)
		c->task -= count;
}

/* Return the start of the last rounds, which stay. */
static size_t conversation_first_kept(const struct conversation *c)
{
	size_t rounds = 0;

	for (size_t i = c->count; i > 0; i--)
		if (c->messages[i - 1].role == CHAT_ASSISTANT && ++rounds == ROUNDS_KEPT)
			return i - 1;
	return 0;
}

/* Count the messages of a group at `at`: a reply and its answers, or one message. */
static size_t conversation_group(const struct conversation *c, size_t at)
{
	size_t n = 1;

	if (c->messages[at].role != CHAT_ASSISTANT)
		return 1;
	while (at + n < c->count && c->messages[at + n].role != CHAT_ASSISTANT && at + n != c->task)
		n++;
	return n;
}

bool conversation_trim(struct conversation *c, uint64_t budget)
{
	size_t at = conversation_has_system(c);

	while (conversation_tokens(c) > budget) {
		size_t n;

		if (c->has_task && at == c->task)
			at++;
		if (at >= conversation_first_kept(c))
			return false;
		n = conversation_group(c, at);
		conversation_drop(c, at, n);
	}
	return true;
}

static unsigned conversation_clamp(uint64_t ratio)
{
	if (ratio < LEAST_PER_THOUSAND)
		return LEAST_PER_THOUSAND;
	return ratio > MOST_PER_THOUSAND ? MOST_PER_THOUSAND : (unsigned)ratio;
}

bool conversation_learn(struct conversation *c, uint64_t counted, bool first)
{
	uint64_t expected = conversation_tokens(c);
	uint64_t plain = conversation_estimate(c);

	if (counted < LEAST_COUNTED || plain == 0)
		return false;
	if (!first && counted * 10 >= expected * 7)
		c->counts_all = true;
	if ((first || c->counts_all) && expected > 2 * counted)
		return true;
	if (first || c->counts_all || counted > expected)
		c->per_thousand = conversation_clamp(counted * 1000 / plain);
	return false;
}
