/*
 * dockerfile_execute - perform the steps of a plan, or apply the results of earlier builds.
 */
#include "dockerfile_execute.h"

#include <fcntl.h>
#include <string.h>

#include "base/escape.h"
#include "base/own.h"
#include "rootfs/chamber/progress.h"

struct executing {
	const struct plan *plan;
	const struct store *store;
	struct dockerfile_room *room;
	bool *made; /* by stage */
};

/* One stage. */
struct making {
	struct executing *x;
	size_t stage;
	size_t done;   /* steps */
	size_t cached; /* this many first steps are kept, or need not be */
	bool noted;    /* the present state is noted: nothing has changed since */
};

static int dockerfile_execute_stage(struct executing *x, size_t stage, struct err *e);

/* Whether to keep its result: it depends on more than the context, or takes time. */
static bool dockerfile_execute_is_kept(const struct plan_step *step)
{
	return step->kind == PLAN_RUN || (step->kind == PLAN_COPY && step->copy.archive < 0);
}

/*
 * Use no kept result after the first missing one: it may have been made on top of another one under
 * the same key.
 */
static size_t dockerfile_execute_find_cached(const struct executing *x, const struct plan_stage *s)
{
	size_t n = 0;

	while (n < s->step_count && (!dockerfile_execute_is_kept(s->steps[n]) ||
				     kept_use(&x->room->layers, s->steps[n]->key, "tar")))
		n++;
	return n;
}

/* FROM is the first of a stage's steps. */
static void dockerfile_execute_say(const struct making *m, size_t number,
				   const struct instruction *at, bool is_kept)
{
	const struct plan_stage *s = &m->x->plan->stages[m->stage];
	const char *words = at->is_json ? at->words.items[0] : at->text;
	auto_buf struct buf text = {0};

	escape_line(words, strnlen(words, 60), &text);
	progress_say("[%zu/%zu] %s %s%s", number, s->step_count + 1, at->name, buf_string(&text),
		     is_kept ? " (kept)" : "");
}

/* The archive that the step copies: its own, or made of another stage now. Owned. */
static int dockerfile_execute_take(struct making *m, const struct plan_step *step, struct err *e)
{
	struct executing *x = m->x;
	auto_fd int archive = -1;

	if (dockerfile_execute_stage(x, step->copy.stage, e))
		return -1;
	archive = openat(x->store->tmp_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (archive < 0)
		return err_sys(e, "make a file in %s", x->store->path);
	if (dockerfile_room_take(x->room, step->copy.stage, step, archive, e))
		return instruction_error(step->at, e);
	return take_fd(&archive);
}

static int dockerfile_execute_copy(struct making *m, const struct plan_step *step, struct err *e)
{
	struct dockerfile_room *room = m->x->room;
	auto_fd int taken = -1;
	int archive = step->copy.archive;

	if (step->kind == PLAN_COPY && archive < 0) {
		archive = taken = dockerfile_execute_take(m, step, e);
		if (taken < 0)
			return -1;
	}
	return dockerfile_room_unpack(room, m->stage, step, archive, e)
		       ? instruction_error(step->at, e)
		       : 0;
}

static int dockerfile_execute_run(struct making *m, const struct plan_step *step, struct err *e)
{
	if (!dockerfile_room_run(m->x->room, m->stage, step, e))
		return 0;
	instruction_error(step->at, e);
	if (!step->run.egress && !instruction_flag(step->at, "network")) {
		const struct err said = *e;

		err_set(e, said.kind, "%.400s; without --egress it has no network", said.text);
	}
	return -1;
}

static int dockerfile_execute_new(struct making *m, const struct plan_step *step, struct err *e)
{
	struct dockerfile_room *room = m->x->room;
	bool kept = dockerfile_execute_is_kept(step);
	int status;

	if (kept && !m->noted && dockerfile_room_note(room, m->stage, e))
		return -1;
	status = step->kind == PLAN_RUN ? dockerfile_execute_run(m, step, e)
					: dockerfile_execute_copy(m, step, e);
	if (status)
		return -1;
	m->noted = kept;
	return kept ? dockerfile_room_keep(room, m->stage, step, e) : 0;
}

static int dockerfile_execute_step(struct making *m, const struct plan_step *step, struct err *e)
{
	bool is_kept = m->done < m->cached && dockerfile_execute_is_kept(step);

	dockerfile_execute_say(m, m->done + 2, step->at, is_kept);
	if (!is_kept)
		return dockerfile_execute_new(m, step, e);
	m->noted = false;
	return dockerfile_room_apply(m->x->room, m->stage, step, e);
}

static int dockerfile_execute_stage(struct executing *x, size_t stage, struct err *e)
{
	const struct plan_stage *s = &x->plan->stages[stage];
	struct making m = {.x = x, .stage = stage};

	if (x->made[stage])
		return 0;
	x->made[stage] = true;
	m.cached = dockerfile_execute_find_cached(x, s);
	dockerfile_execute_say(&m, 1, s->at, false);
	if (dockerfile_room_begin(x->room, stage, s->root, e))
		return instruction_error(s->at, e);
	for (; m.done < s->step_count; m.done++) {
		if (dockerfile_execute_step(&m, s->steps[m.done], e))
			return -1;
	}
	return 0;
}

int dockerfile_execute(const struct plan *p, const struct store *store, struct dockerfile_room *r,
		       struct err *e)
{
	auto_free bool *made = own_zeroed(p->stage_count, sizeof(*made));
	struct executing x = {.plan = p, .store = store, .room = r, .made = made};

	return dockerfile_execute_stage(&x, p->target, e);
}
