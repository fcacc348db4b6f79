/*
 * decide - what the agent does with a reply: run code, take the answer, or ask again.
 *
 * Theory of operation. Models answer in words, with or without tags, with or without code beside
 * them. All rules about that are here; extract.h reads the parts of a reply:
 *
 *   - If a reply is unreadable (a broken call, an empty answer, our own placeholder), ask again.
 *   - Text without code is the answer. In a task, a text that only announces work is questioned
 *     once. In a conversation a person can reply to it.
 *   - With tools, a reply without a call is text, its blocks of code included. Some models are
 *     offered tools and cannot call: if the first reply is about nothing but a block, the block
 *     runs, and from there on their code comes in blocks.
 *   - <FINAL_ANSWER> is the answer. Code beside it, or within it and nothing else, runs only if
 *     no code has run or the last run failed, and the task is not to write code. An answer
 *     that shows code where none has run is questioned once.
 *   - Code whose result is known does not run again: the text beside it is the answer.
 *   - An answer straight after a failure is questioned once; in a conversation, if it has numbers
 *     that no output showed.
 *
 * Each question is asked once until code runs again, so a repeated answer is accepted; only an
 * unreadable reply never is.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_DECIDE_H
#define GLOVEBOX_AGENT_DECIDE_H

#include "agent/reply/extract.h"
#include "agent/tell/prompt.h"

/* The past of a reply's code in this task. */
enum code_past {
	CODE_NEW,      /* it may run */
	CODE_REPEATED, /* its result is known */
	CODE_FAILING,  /* it has failed MAX_FAILURES times */
};

/* Bits: questions already asked. */
enum asked {
	ASKED_EMPTY = 1,  /* send the same request again; once per round */
	ASKED_WORK = 2,   /* it announced work */
	ASKED_RUN = 4,    /* it showed code, and none had run */
	ASKED_FAILED = 8, /* it answered right after a failure */
};

/* The state before the reply. */
struct situation {
	bool conversation; /* a person can reply */
	bool tools;        /* the model can call tools */
	bool asks_for_code;
	bool cut_off; /* the reply reached its maximal length */
	bool last;    /* this is the last round */
	bool ran;     /* code has run in this task */
	bool failed;  /* the latest run failed */
	bool unknown; /* the reply has numbers that the model was never shown */
	enum code_past past;
	unsigned asked;
};

enum decision_kind {
	DECIDE_RUN,    /* run the code */
	DECIDE_ANSWER, /* text: the answer */
	DECIDE_TELL,   /* tell the model `which`; PROMPT_NOTHING: the reply's note, if any */
	DECIDE_AGAIN,  /* send the same request once more */
};

struct decision {
	enum decision_kind kind;
	const char *text; /* borrowed from the reply */
	enum prompt_text which;
	unsigned asked; /* a bit to set; 0 */
};

struct decision decide(const struct extract *x, const struct situation *s);

#endif
