/*
 * fallback - drop tools or thinking when a server refuses them, and tell the user what is dropped.
 */
#include "agent/loop.h"
#include "agent/server/refusal.h"

/* A server without tools rejects calls and their results: turn them into ordinary text. */
static void fallback_make_plain(struct conversation *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct chat_message *m = &c->messages[i];
		struct chat_message plain;

		if (m->role != CHAT_TOOL && !m->call_count)
			continue;
		plain = chat_message_make(m->role == CHAT_TOOL ? CHAT_USER : m->role, m->content);
		chat_message_fini(m);
		*m = plain;
	}
}

/* The model cannot see pictures; the message still names their files. */
static void fallback_drop_images(struct conversation *c)
{
	for (size_t i = 0; i < c->count; i++)
		list_fini(&c->messages[i].images);
}

int fallback_look_up(struct agent_loop *l, enum model_failure *why, struct err *e)
{
	struct model_facts facts = {0};

	if (l->looked_up)
		return 0;
	if (l->model->look_up && l->model->look_up(l->model, l->model_name, &facts, why, e))
		return -1;
	l->looked_up = true;
	l->think = (enum chat_think)l->options->think;
	l->tools = l->options->mode == MODE_TOOLS ||
		   (l->options->mode == MODE_AUTO && facts.known && facts.tools);
	if (l->options->mode == MODE_TOOLS && facts.known && !facts.tools)
		loop_notice(l, "%s has no tools, says the server: code comes in fenced blocks",
			    l->model_name);
	if (facts.known && !facts.tools)
		l->tools = false;
	if (!l->tools)
		fallback_make_plain(&l->conversation); /* a former model used tools */
	l->sees = l->options->vision == VISION_ON ||
		  (l->options->vision == VISION_AUTO && facts.known && facts.vision);
	if (!l->sees)
		fallback_drop_images(&l->conversation);
	if (l->think == CHAT_THINK_ON && facts.known && !facts.thinking) {
		loop_notice(l, "%s cannot think, says the server", l->model_name);
		l->think = CHAT_THINK_UNSET;
	}
	if (facts.known && facts.context_length && facts.context_length < l->options->num_ctx)
		loop_notice(l, "%s was made for a context of %llu tokens, --num-ctx asks for %llu",
			    l->model_name, (unsigned long long)facts.context_length,
			    (unsigned long long)l->options->num_ctx);
	return 0;
}

bool fallback_step(struct agent_loop *l, enum model_failure why)
{
	if (why == MODEL_NO_TOOLS && l->tools) {
		loop_notice(l, "the server refuses tools: going on with fenced code");
		l->tools = false;
		fallback_make_plain(&l->conversation);
		return true;
	}
	if (why == MODEL_NO_THINKING && l->think != CHAT_THINK_OFF) {
		loop_notice(l, "the server refuses to let this model think: going on without");
		l->think = CHAT_THINK_OFF;
		return true;
	}
	return false;
}

static void fallback_check_placement(struct agent_loop *l)
{
	struct model_placement p = {0};
	uint64_t asked = l->options->num_ctx;
	struct err ignored;

	if (!l->model->placement || l->model->placement(l->model, l->model_name, &p, &ignored) ||
	    !p.loaded)
		return;
	if (p.size_bytes && p.gpu_bytes == 0)
		loop_notice(l, "%s runs on the CPU alone: replies will take their time",
			    l->model_name);
	else if (p.size_bytes && p.gpu_bytes < p.size_bytes)
		loop_notice(l, "%s does not fit on the GPU: %llu%% of it runs on the CPU",
			    l->model_name,
			    (unsigned long long)(100 - p.gpu_bytes * 100 / p.size_bytes));
	if (asked && p.context_length && p.context_length < asked)
		loop_notice(l, "the context in force is %llu tokens, --num-ctx asks for %llu",
			    (unsigned long long)p.context_length, (unsigned long long)asked);
}

void fallback_check(struct agent_loop *l, const struct chat_reply *reply)
{
	if (conversation_learn(&l->conversation, reply->stats.prompt_tokens, !l->requested))
		loop_notice(l,
			    "the server has read only %llu tokens: it seems to have cut the "
			    "conversation; its context is smaller than --num-ctx",
			    (unsigned long long)reply->stats.prompt_tokens);
	l->requested = true;
	if (l->placed)
		return;
	l->placed = true;
	if (reply->model && !model_same(reply->model, l->model_name))
		loop_notice(l, "%s was asked for, and %.100s answers", l->model_name, reply->model);
	fallback_check_placement(l);
}
