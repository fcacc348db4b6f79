/*
 * admission - how many runs go on at once, and which waiting one is next.
 */
#include "tenant/admission.h"

#include <stddef.h>

#include "loop/clock.h"

void admission_init(struct admission *a, struct hub *hub, unsigned most, uint64_t wait_ms)
{
	*a = (struct admission){.hub = hub, .most = most, .wait_us = wait_ms * 1000};
	TAILQ_INIT(&a->lines);
}

static bool admission_has_room(const struct admission *a, const struct admission_line *line)
{
	return a->running < a->most && line->running < line->most;
}

static void admission_admit(struct admission *a, struct ticket *t)
{
	a->running++;
	t->line->running++;
	t->is_admitted = true;
	t->decided(t->context, true);
}

/* -- lines of tickets ------------------------------------------------------------------------ */

static void admission_append(struct admission *a, struct ticket *t)
{
	struct admission_line *line = t->line;

	if (TAILQ_EMPTY(&line->tickets)) {
		TAILQ_INIT(&line->tickets);
		TAILQ_INSERT_TAIL(&a->lines, line, link);
	}
	t->is_waiting = true;
	TAILQ_INSERT_TAIL(&line->tickets, t, link);
	a->waiting++;
}

static void admission_forget(struct ticket *t)
{
	struct admission *a = t->admission;
	struct admission_line *line = t->line;

	TAILQ_REMOVE(&line->tickets, t, link);
	if (TAILQ_EMPTY(&line->tickets))
		TAILQ_REMOVE(&a->lines, line, link);
	t->is_waiting = false;
	a->waiting--;
	hub_silence(a->hub, &t->patience);
}

/*
 * Take the next ticket and move its line to the end. NULL: no free place, or every waiting key has
 * its share.
 */
static struct ticket *admission_next(struct admission *a)
{
	struct admission_line *line = TAILQ_FIRST(&a->lines);
	struct ticket *next;

	while (line && !admission_has_room(a, line))
		line = TAILQ_NEXT(line, link);
	if (!line)
		return NULL;
	next = TAILQ_FIRST(&line->tickets);
	admission_forget(next);
	if (!TAILQ_EMPTY(&line->tickets)) {
		TAILQ_REMOVE(&a->lines, line, link);
		TAILQ_INSERT_TAIL(&a->lines, line, link);
	}
	return next;
}

/* -- tickets --------------------------------------------------------------------------------- */

static void admission_give_up(void *context)
{
	struct ticket *t = context;

	admission_forget(t);
	t->decided(t->context, false);
}

void admission_ask(struct admission *a, struct admission_line *line, struct ticket *t)
{
	t->admission = a;
	t->line = line;
	t->asked_us = monotonic_us();
	if (admission_has_room(a, line)) {
		admission_admit(a, t);
		return;
	}
	admission_append(a, t);
	t->patience = (struct hub_timer){.ring = admission_give_up, .context = t};
	hub_ring(a->hub, &t->patience, t->asked_us + a->wait_us);
}

void admission_leave(struct ticket *t)
{
	struct admission *a = t->admission;
	struct ticket *next;

	if (t->is_waiting)
		admission_forget(t);
	if (!t->is_admitted)
		return;
	t->is_admitted = false;
	t->line->running--;
	a->running--;
	if (a->is_admitting) /* the loop below goes on, so mass failures do not recurse */
		return;
	a->is_admitting = true;
	while ((next = admission_next(a)))
		admission_admit(a, next);
	a->is_admitting = false;
}
