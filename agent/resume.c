/*
 * resume - save the last conversation beside the history, and continue it: --continue.
 */
#include "agent/resume.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/approval.h"
#include "agent/conversation_file.h"
#include "base/own.h"
#include "base/say.h"
#include "prompt/history.h"

#define FILE_NAME "agent-conversation.json"
#define PATH_SIZE (PATH_MAX + 32)

void kept_fini(struct kept *k)
{
	conversation_fini(&k->conversation);
	cells_fini(&k->cells);
}

int resume_load(const struct agent_options *o, struct kept *out, struct err *e)
{
	char path[PATH_SIZE];

	*e = (struct err){0};
	if (o->reruns && !o->goes_on)
		return err_input(e, "--rerun needs --continue");
	if (!o->goes_on)
		return 0;
	if (!history_path(FILE_NAME, path, sizeof(path)))
		return err_input(e,
				 "--continue: the directory of conversations cannot be made: set "
				 "XDG_STATE_HOME to one that you can write to");
	if (!conversation_file_load(path, &out->conversation, &out->cells, e)) {
		if (out->conversation.count)
			return 0;
	} else if (e->kind != ERR_SYSTEM || e->number != ENOENT) {
		return err_prefix(e, "--continue");
	}
	return err_set(e, ERR_NOT_FOUND,
		       "--continue: nothing has been said yet; \"glovebox agent\" at a terminal, "
		       "with a task or without, begins one");
}

void resume_take(struct agent_loop *l, struct kept *k)
{
	l->cells = &k->cells;
	l->conversation = k->conversation;
	k->conversation = (struct conversation){0};
	resume_learn(l);
	if (l->options->reruns)
		resume_rerun(l);
}

void resume_save(const struct agent_loop *l)
{
	char path[PATH_SIZE];
	struct err ignored;

	if (history_path(FILE_NAME, path, sizeof(path)))
		(void)conversation_file_save(&l->conversation, l->cells, l->model_name, path,
					     &ignored);
}

void resume_save_task(const struct agent_loop *l)
{
	bool is_answered = false;

	for (size_t i = 0; i < l->conversation.count; i++)
		is_answered |= l->conversation.messages[i].role == CHAT_ASSISTANT;
	if (l->options->goes_on || (is_answered && !l->options->json && isatty(STDERR_FILENO)))
		resume_save(l);
}

void resume_learn(struct agent_loop *l)
{
	for (size_t i = 0; i < l->conversation.count; i++) {
		const struct chat_message *m = &l->conversation.messages[i];

		if (m->role != CHAT_ASSISTANT)
			numbers_add(&l->numbers, m->content, strlen(m->content));
	}
}

/* Whether the code succeeded again. */
static bool resume_run(struct agent_loop *l, const char *code, struct err *e)
{
	const struct execution_bounds bounds = {.timeout_ms = l->options->timeout_ms,
						.deadline_us = UINT64_MAX,
						.signal_fd = l->signal_fd};
	struct execution x;
	bool is_well;

	if (executor_run(l->executor, code, &bounds, &x, e)) {
		say_error(e);
		return false;
	}
	is_well = x.verdict == CODE_OK;
	if (!is_well)
		loop_tell(l, &(struct event){.kind = EVENT_EXECUTED, .execution = &x, .text = ""});
	execution_fini(&x);
	return is_well;
}

void resume_rerun(struct agent_loop *l)
{
	size_t count = 0;
	bool all = false;
	struct err e;

	for (size_t i = SIZE_MAX; (i = cells_next_run(l->cells, i)) != SIZE_MAX; count++) {
		auto_free char *code = own_strdup(l->cells->items[i].text);

		if (!approval_again(l, &code, &all) || !resume_run(l, code, &e))
			break;
	}
	fprintf(stderr, "(%zu piece%s of code ran again)\n", count, count == 1 ? "" : "s");
}
