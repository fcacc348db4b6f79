/*
 * watching - what changes in a directory of a session, told as it happens.
 */
#include "service/watching.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "session/further.h"
#include "workspace/mover_file.h"

struct watching {
	struct watching_request request;
	void *context;
	struct list words;
	int mover; /* owned */
	struct further *further;
	struct further_result result;
	struct mover_told told;
	struct buf said;
};

static void watching_ignore(void *context)
{
	(void)context;
}

static void watching_take(void *context, int stream, const char *bytes, size_t length)
{
	struct watching *w = context;
	struct change change;
	int n;

	if (stream != STDOUT_FILENO) {
		buf_add(&w->said, bytes, length);
		return;
	}
	if (w->told.is_bad)
		return;
	mover_told_add(&w->told, bytes, length);
	while ((n = mover_told_take(&w->told, &change)) > 0)
		w->request.take(w->context, &change);
	if (n < 0)
		further_kill(w->further);
}

static void watching_done(void *context)
{
	struct watching *w = context;
	struct err why = w->result.error;

	if (!w->result.failed)
		mover_told_judge(&w->said, w->request.path, &why);
	w->request.ended(w->context, &why, w->result.no_session);
}

static void watching_say(struct watching *w)
{
	list_add(&w->words, "watch");
	list_add(&w->words, "/");
	list_add(&w->words, w->request.path);
	list_add(&w->words, w->request.is_deep ? "1" : "0");
}

int watching_start(struct hub *hub, const struct watching_request *request, void *context,
		   struct watching **out, struct err *e)
{
	struct watching *w = own_zeroed(1, sizeof(*w));
	struct further_request further = {.where = request->where,
					  .name = request->name,
					  .words = &w->words,
					  .program = &w->mover,
					  .started = watching_ignore,
					  .take = watching_take,
					  .fed = watching_ignore};

	w->request = *request;
	w->context = context;
	w->said.cap = MOVER_SAID_BYTES;
	w->mover = mover_file(e);
	watching_say(w);
	if (w->mover < 0 ||
	    further_start(hub, &further, &w->result, watching_done, w, &w->further, e)) {
		watching_free(w);
		return -1;
	}
	*out = w;
	return 0;
}

void watching_hold(struct watching *w, bool held)
{
	further_hold(w->further, held);
}

void watching_free(struct watching *w)
{
	if (!w)
		return;
	further_free(w->further);
	list_fini(&w->words);
	own_close(&w->mover);
	mover_told_fini(&w->told);
	buf_fini(&w->said);
	free(w);
}
