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

void work_start(struct work *w)
{
	struct err e;

	w->kernel->work = w;
	w->request.call.follows = w->kernel->place.is_left;
	if (w->kernel->place.is_left)
		kernel_publish_stream(w->kernel, "stderr", LEFT, strlen(LEFT));
	w->request.call.source = w->members.data;
	w->request.call.length = w->members.length;
	if (place_start(&w->kernel->place, &e) ||
	    notebook_start(w->kernel->hub, &w->request, &w->result, work_done, w, &w->notebook, &e))
		work_finish(w, &e);
}

void work_abandon(struct kernel *k)
{
	if (k->work)
		work_free(take_ptr(&k->work));
}
