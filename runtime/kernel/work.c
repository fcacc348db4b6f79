/*
 * work - one thing that a kernel does in its session; there is one at a time.
 */
#include "kernel/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"

#define ANSWER_MAX (192u << 20) /* as for `session exec` */
#define LEFT                                                                                       \
	"glovebox: code that a completion has called goes on in the session: interrupt it, or "    \
	"restart the kernel\n"

void work_init(struct work *w, struct kernel *k,
	       void (*done)(struct work *w, const struct err *failed))
{
	*w = (struct work){.kernel = k, .done = done};
	w->request = (struct notebook_request){
		.action = NOTEBOOK_ASK,
		.own = &k->place.own,
		.call = {.answer_max = ANSWER_MAX,
			 .timeout_ms = SPEC_UNLIMITED,
			 .output_max = SPEC_UNLIMITED,
			 .persists = true,
			 .out = {{.fd = -1}, {.fd = -1}}},
	};
}

static void work_free(struct work *w)
{
	notebook_free(w->notebook);
	notebook_result_fini(&w->result);
	buf_fini(&w->members);
	buf_fini(&w->published);
	if (w->free)
		w->free(w);
	free(w);
}

void work_finish(struct work *w, const struct err *failed)
{
	struct kernel *k = w->kernel;

	k->work = NULL;
	place_note(&k->place, &w->result.call);
	w->done(w, failed);
	work_free(w);
	kernel_is_done(k);
}

static void work_done(void *work)
{
	struct work *w = work;

	work_finish(w, w->result.failed ? &w->result.error : NULL);
}

static void work_do(struct work *w)
{
	struct kernel *k = w->kernel;
	struct err e;

	w->request.call.follows = k->place.is_left;
	if (k->place.is_left)
		kernel_publish_stream(k, "stderr", LEFT, strlen(LEFT));
	w->request.call.source = w->members.data;
	w->request.call.length = w->members.length;
	if (notebook_start(k->hub, &w->request, &w->result, work_done, w, &w->notebook, &e))
		work_finish(w, &e);
}

static void work_begin(struct work *w);

static void work_begun(void *work)
{
	struct work *w = work;
	struct err e = w->result.error;
	int again;

	again = place_begun(&w->kernel->place, &w->published, w->result.failed, &e);
	notebook_free(take_ptr(&w->notebook));
	notebook_result_fini(&w->result);
	buf_fini(&w->published);
	if (again > 0)
		work_begin(w);
	else if (again)
		work_finish(w, &e);
	else
		work_do(w);
}

static void work_begin(struct work *w)
{
	struct notebook_request begin;
	struct err e;

	place_begin(&w->kernel->place, &w->published, &begin);
	if (notebook_start(w->kernel->hub, &begin, &w->result, work_begun, w, &w->notebook, &e))
		work_finish(w, &e);
}

void work_start(struct work *w)
{
	w->kernel->work = w;
	if (w->kernel->place.has_own)
		work_do(w);
	else
		work_begin(w);
}

void work_abandon(struct kernel *k)
{
	if (k->work)
		work_free(take_ptr(&k->work));
}
