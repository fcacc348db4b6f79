/*
 * decide - what a reply is: code to run, the answer, or a reason to ask again.
 *
 * Theory of operation. Models answer in words, with or without tags, with or without code beside
 * them. All rules about that are here; what stands in a reply is extract.h's business:
 *
 *   - What cannot be read (a broken call, an empty answer, our own placeholder) is asked for again.
 *   - Text without code is the answer. In a task, a text that only announces work is not: that is
 *     asked for once. In a conversation a person can reply to it.
 *   - With tools, a reply without a call is text, its blocks of code included. Some models are
 *     offered tools and cannot call: if the first reply is about nothing but a block, the block
 *     runs, and from there on their code comes in blocks.
 *   - <FINAL_ANSWER> is the answer. Code beside it, or that it consists of, runs only if nothing
 *     has run yet, or has just failed, and the task is not to write code. An answer that shows code
 *     where none has run is asked for once more.
 *   - Code whose result is known is not run again: then the text beside it is the answer.
 *   - An answer straight after a failure is asked for once more; in a conversation, if it holds
 *     numbers that nothing printed.
 *
 * Each question is asked once until code runs again, so an answer that is repeated is believed;
 * only what cannot be read is never believed.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_DECIDE_H
#define GLOVEBOX_AGENT_DECIDE_H

#include "agent/reply/extract.h"
#include "agent/tell/prompt.h"

/* What became of the code of a reply when it ran before, in this task. */
enum code_past {
	CODE_NEW,      /* it may run */
	CODE_REPEATED, /* it would give the same result again */
	CODE_FAILING,  /* it has failed as often as it may */
};

/* Bits: what was asked for already. */
enum asked {
	ASKED_EMPTY = 1,  /* the same request again; for each round */
	ASKED_WORK = 2,   /* it announced work */
	ASKED_RUN = 4,    /* it showed code, and none had run */
	ASKED_FAILED = 8, /* it answered straight after a failure */
};

/* What happened before the reply. */
struct situation {
	bool conversation; /* a person is there to reply */
	bool tools;        /* the model can call */
	bool asks_for_code;
	bool cut_off; /* the reply, at its maximal length */
	bool last;    /* there will be no other reply */
	bool ran;     /* something has run in this task */
	bool failed;  /* and the latest of it has failed */
	bool unknown; /* the reply holds numbers from nowhere */
	enum code_past past;
	unsigned asked;
};

enum decision_kind {
	DECIDE_RUN,    /* its code */
	DECIDE_ANSWER, /* text: of the reply */
	DECIDE_TELL,   /* which; PROMPT_NOTHING: its note, if it has one */
	DECIDE_AGAIN,  /* send the same request once more */
};

struct decision {
	enum decision_kind kind;
	const char *text; /* borrowed from the reply */
	enum prompt_text which;
	unsigned asked; /* a bit to remember; 0 */
};

struct decision decide(const struct extract *x, const struct situation *s);

#endif
