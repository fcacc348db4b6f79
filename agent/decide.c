/*
 * decide - what the agent does with a reply: run code, take the answer, or ask again.
 */
#include "agent/decide.h"

#include "agent/reply/intent.h"

static struct decision decide_tell(enum prompt_text which, unsigned asked)
{
	return (struct decision){.kind = DECIDE_TELL, .which = which, .asked = asked};
}

static struct decision decide_answer(const char *text)
{
	return (struct decision){.kind = DECIDE_ANSWER, .text = text};
}

/* Whether the reply's code is meant to run, not only to be shown. */
static bool decide_is_work(const struct extract *x, const struct situation *s)
{
	if (!x->code)
		return false;
	if (x->early_answer)
		return !s->asks_for_code && (!s->ran || s->failed);
	if (!s->tools || x->call_count)
		return true;
	return !s->ran && !s->asks_for_code && (!x->words || intent_is_announced(x->text, true));
}

static struct decision decide_on_code(const struct extract *x, const struct situation *s)
{
	if (x->code_unclosed && s->cut_off)
		return decide_tell(PROMPT_CUT_OFF, 0);
	if (s->past == CODE_FAILING)
		return decide_tell(PROMPT_REPEATED, 0);
	if (s->past == CODE_NEW)
		return (struct decision){.kind = DECIDE_RUN};
	if (x->early_answer)
		return decide_answer(x->early_answer);
	return x->words ? decide_answer(x->text) : decide_tell(PROMPT_KNOWN, 0);
}

/* The question that an answer calls for; 0: the answer is accepted. */
static unsigned decide_doubt(const struct extract *x, const struct situation *s)
{
	bool early = !s->ran && !s->asks_for_code;

	if (s->failed && (!s->conversation || s->unknown))
		return ASKED_FAILED;
	if (s->conversation)
		return 0;
	if (x->answer)
		return early && x->code_in_answer ? ASKED_RUN : 0;
	if (x->early_answer)
		return 0;
	return x->foreign || intent_is_announced(x->text, early) ? ASKED_WORK : 0;
}

static struct decision decide_on_text(const struct extract *x, const struct situation *s)
{
	static const enum prompt_text questions[] = {
		[ASKED_WORK] = PROMPT_NOTHING,
		[ASKED_RUN] = PROMPT_NOT_RUN,
		[ASKED_FAILED] = PROMPT_FAILED,
	};
	const char *answer = x->answer ? x->answer : x->early_answer;
	unsigned doubt;

	if (x->mistaken && !answer)
		return decide_tell(PROMPT_NOTHING, 0);
	doubt = decide_doubt(x, s);
	if (doubt && !(s->asked & doubt) && !(s->last && answer))
		return decide_tell(questions[doubt], doubt);
	return decide_answer(answer ? answer : x->text);
}

struct decision decide(const struct extract *x, const struct situation *s)
{
	if (x->empty || x->thinking_unclosed)
		return s->asked & ASKED_EMPTY
			       ? decide_tell(PROMPT_NOTHING, 0)
			       : (struct decision){.kind = DECIDE_AGAIN, .asked = ASKED_EMPTY};
	return decide_is_work(x, s) ? decide_on_code(x, s) : decide_on_text(x, s);
}
