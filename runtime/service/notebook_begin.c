/*
 * notebook_begin - a new session: get a cell, put its files, give it to the supervisor to keep.
 */
#include <unistd.h>

#include "service/notebook_parts.h"
#include "session/places.h"
#include "session/session_spec.h"

#define FILE_MODE 0644

static void notebook_begin_put_next(struct notebook *n);

static void notebook_begin_failed(struct notebook *n, const struct err *e)
{
	if (n->has_session)
		session_end_later(&n->lent, hub_endings(n->hub));
	n->has_session = false;
	notebook_fail(n, e);
}

/* -- into keeping ---------------------------------------------------------------------------- */

/*
 * The operation was cancelled after the supervisor took the session: the session has been dropped.
 */
static void notebook_begin_dropped(void *context)
{
	struct notebook *n = context;
	struct err e;

	(void)notebook_end_ask(n, &e);
	(void)notebook_is_cancelled(n, &e);
	notebook_fail(n, &e);
}

static void notebook_begin_drop_kept(struct notebook *n)
{
	const struct drop_request request = {n->request.name};
	struct err e;

	if (notebook_ask(n, ask_start(n->request.where, -1, OP_DROP, &request, NULL, 0),
			 notebook_begin_dropped, &e))
		notebook_fail(n, &e);
}

static void notebook_begin_kept(void *context)
{
	struct notebook *n = context;
	struct err e;

	if (notebook_end_ask(n, &e)) {
		notebook_begin_failed(n, &e);
		return;
	}
	session_close(&n->lent);
	n->has_session = false;
	if (n->result->cancelled)
		notebook_begin_drop_kept(n);
	else
		notebook_finish(n);
}

static void notebook_begin_keep(struct notebook *n)
{
	struct ask *ask;
	struct err e;

	if (n->request.own) {
		*n->request.own = n->lent;
		n->lent = session_none();
		n->has_session = false;
		notebook_finish(n);
		return;
	}
	ask = client_ask_to_keep(n->request.where, n->request.name, &n->lent,
				 &n->request.begin.life, n->fds, &e);
	if (!ask || notebook_ask(n, ask, notebook_begin_kept, &e))
		notebook_begin_failed(n, &e);
}

/* -- its files ------------------------------------------------------------------------------- */

static void notebook_begin_has_put(void *context)
{
	struct notebook *n = context;
	struct files *files = n->files;
	struct err e;

	n->files = NULL;
	if (files_end(files, &n->result->files, &e) ||
	    (n->result->cancelled && notebook_is_cancelled(n, &e))) {
		notebook_begin_failed(n, &e);
		return;
	}
	n->file++;
	notebook_begin_put_next(n);
}

static void notebook_begin_put_next(struct notebook *n)
{
	const struct staged_file *file = &n->request.begin.files[n->file];
	struct files_request request = {.action = FILES_PUT, .mode = FILE_MODE};
	struct err e;

	if (n->file == n->request.begin.file_count) {
		notebook_begin_keep(n);
		return;
	}
	request.session = &n->lent;
	request.path = file->path;
	request.content_fd = file->fd;
	files_rules_init(&request.rules);
	request.rules.max_bytes = file->size_bytes;
	request.rules.is_cut = true;
	if (lseek(file->fd, 0, SEEK_SET) < 0)
		err_sys(&e, "read a file");
	else if (!notebook_reach(n, &request, notebook_begin_has_put, &e))
		return;
	notebook_begin_failed(n, &e);
}

/* -- its cell -------------------------------------------------------------------------------- */

static bool notebook_begin_step_opening(void *operation)
{
	return opening_step(operation);
}

static void notebook_begin_opened(void *context)
{
	struct notebook *n = context;
	struct opening *opening = n->opening;
	struct err e;

	n->opening = NULL;
	if (n->request.begin.published)
		opening_write_published(opening, n->request.begin.published);
	n->has_session = !opening_end(opening, &e);
	if (n->has_session && !n->result->cancelled) {
		notebook_begin_put_next(n);
		return;
	}
	if (n->has_session)
		(void)notebook_is_cancelled(n, &e);
	notebook_begin_failed(n, &e);
}

static int notebook_begin_make_spec(struct notebook *n, struct err *e)
{
	spec_copy_limits(&n->spec, n->request.begin.terms);
	if (n->request.begin.places)
		places_add_mounts(n->request.begin.places, false, &n->spec);
	n->spec.warm = WARM_REQUIRE;
	return session_spec_finish(&n->spec, n->request.begin.image, e);
}

int notebook_begin(struct notebook *n, struct err *e)
{
	const struct notebook_request *r = &n->request;
	const struct sandbox_spec *spec = r->begin.spec ? r->begin.spec : &n->spec;

	if ((!r->own && client_check_new_name(r->name, e)) ||
	    (!r->begin.spec && notebook_begin_make_spec(n, e)) ||
	    opening_start(r->where, spec, hub_endings(n->hub), &n->lent, &n->opening, e))
		return -1;
	return notebook_drive(n, notebook_begin_step_opening, n->opening, opening_loop(n->opening),
			      notebook_begin_opened, e);
}
