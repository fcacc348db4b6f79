/*
 * talk - a person's conversation: the loop, and the state to change models and to undo a task.
 */
#include "agent/talk.h"

#include <stdlib.h>

#include "agent/load.h"
#include "agent/resume.h"
#include "base/own.h"

static void talk_unmark(struct talk *t)
{
	conversation_fini(&t->before);
	t->marked = false;
}

static struct conversation talk_copy(const struct conversation *c)
{
	struct conversation copy = *c;

	copy.messages = NULL;
	for (size_t i = 0; i < c->count; i++) {
		copy.messages = own_grow(copy.messages, i, sizeof(*copy.messages));
		copy.messages[i] = chat_message_copy(&c->messages[i]);
	}
	return copy;
}

void talk_mark(struct talk *t)
{
	talk_unmark(t);
	t->before = talk_copy(&t->loop->conversation);
	t->cells = cells_end(t->loop->cells);
	t->variables = undo_mark(t->loop->executor, t->loop->signal_fd);
	t->marked = true;
}

int talk_undo(struct talk *t, bool force, struct err *e)
{
	struct agent_loop *l = t->loop;
	bool refused;
	int failed;

	if (!t->marked)
		return err_input(e, "there is nothing to undo: one task can be, the last one");
	failed = undo_return(l->executor, t->variables, force, l->signal_fd, &refused, e);
	if (refused)
		return -1;
	conversation_fini(&l->conversation);
	l->conversation = t->before;
	t->before = (struct conversation){0};
	t->marked = false;
	cells_cut(l->cells, t->cells);
	resume_save(l);
	if (failed)
		executor_forget(l->executor);
	return failed;
}

void talk_forget(struct talk *t)
{
	const bool had_words = t->loop->conversation.count;

	talk_unmark(t);
	loop_forget(t->loop);
	cells_cut(t->loop->cells, 0);
	if (had_words)
		resume_save(t->loop);
}

int talk_change_model(struct talk *t, const char *name, struct err *e)
{
	struct agent_loop *l = t->loop;
	const struct agent_loop before = *l;
	enum model_failure why;
	auto_free char *chosen = own_strdup(name);
	int failed;

	l->model_name = chosen;
	l->looked_up = l->placed = l->requested = false;
	l->model->cancel_fd = l->signal_fd;
	failed = fallback_look_up(l, &why, e);
	l->model->cancel_fd = -1;
	if (failed) {
		*l = before;
		return -1;
	}
	free(t->model);
	t->model = chosen;
	chosen = NULL;
	load_start(l);
	return 0;
}

void talk_replace(struct talk *t, struct conversation *c, struct cells *cells)
{
	talk_forget(t);
	t->loop->conversation = *c;
	*c = (struct conversation){0};
	cells_fini(t->loop->cells);
	*t->loop->cells = *cells;
	cells_init(cells);
	resume_learn(t->loop);
	resume_save(t->loop);
}

void talk_fini(struct talk *t)
{
	talk_unmark(t);
	free(t->model);
}
