/*
 * admission - how many runs there are at once, and who waits for one to end.
 */
#include "serve/admission.h"

#include <stddef.h>

#include "base/clock.h"

void admission_init(struct admission *a, struct hub *hub, unsigned most, uint64_t wait_ms)
{
	*a = (struct admission){.hub = hub, .most = most, .wait_us = wait_ms * 1000};
	a->last = &a->first;
}

static void admission_admit(struct admission *a, struct ticket *t)
{
	a->running++;
	t->is_admitted = true;
	t->decided(t->context, true);
}

static void admission_forget(struct ticket *t)
{
	struct admission *a = t->admission;
	struct ticket **at = &a->first;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	if (a->last == &t->next)
		a->last = at;
	t->is_waiting = false;
	a->waiting--;
	hub_silence(a->hub, &t->patience);
}

static void admission_give_up(void *context)
{
	struct ticket *t = context;

	admission_forget(t);
	t->decided(t->context, false);
}

void admission_ask(struct admission *a, struct ticket *t)
{
	t->admission = a;
	t->asked_us = monotonic_us();
	if (a->running < a->most) {
		admission_admit(a, t);
		return;
	}
	t->is_waiting = true;
	t->next = NULL;
	*a->last = t;
	a->last = &t->next;
	a->waiting++;
	t->patience = (struct hub_timer){.ring = admission_give_up, .context = t};
	hub_ring(a->hub, &t->patience, t->asked_us + a->wait_us);
}

void admission_leave(struct ticket *t)
{
	struct admission *a = t->admission;

	if (t->is_waiting)
		admission_forget(t);
	if (!t->is_admitted)
		return;
	t->is_admitted = false;
	a->running--;
	if (a->is_admitting) /* the loop below goes on: there may be many that fail at once */
		return;
	a->is_admitting = true;
	while (a->first && a->running < a->most) {
		struct ticket *next = a->first;

		admission_forget(next);
		admission_admit(a, next);
	}
	a->is_admitting = false;
}
