/*
 * place - the session of a prompt or a kernel: one kept under a name, or one of our own.
 */
#include "service/place.h"

#include "base/own.h"
#include "client/network.h"
#include "service/notebook_wait.h"

static void place_open(struct place *p)
{
	*p = (struct place){
		.warm = {.pipe = -1, .said = -1}
        };
	p->own = session_none();
}

void place_open_kept(struct place *p, const char *name)
{
	place_open(p);
	p->name = name;
}

int place_open_own(struct place *p, struct sandbox_spec *spec, const char *preload,
		   bool trust_image, struct err *e)
{
	const struct supplier_terms terms = {
		.image = spec->image, .preload = preload, .trust_image = trust_image, .pool = 1};

	place_open(p);
	p->spec = spec;
	return supplier_open(&terms, &p->warm, e);
}

bool place_would_wait(const struct place *p)
{
	return p->is_left || (!p->name && !p->has_own);
}

void place_begin(struct place *p, struct buf *published, struct notebook_request *out)
{
	*out = (struct notebook_request){
		.action = NOTEBOOK_BEGIN,
		.where = supplier_where(&p->warm),
		.own = &p->own,
		.begin = {.spec = p->spec, .published = published}
        };
}

int place_begun(struct place *p, const struct buf *published, bool failed, struct err *e)
{
	struct err second;

	p->has_own = !failed;
	network_say_published(published, "glovebox");
	if (p->has_own) {
		supplier_tell(&p->warm);
		return 0;
	}
	if (p->warm.own)
		supplier_explain(&p->warm, e);
	else if (!supplier_fall_back(&p->warm, &second))
		return 1;
	return -1;
}

static int place_try_start(struct place *p, struct err *e)
{
	const struct notebook_wait wait = {.signal_fd = -1};
	auto_buf struct buf published = {0};
	struct notebook_request request;
	struct notebook_result result;
	bool failed;

	place_begin(p, &published, &request);
	failed = notebook_wait(&request, &wait, &result, e);
	notebook_result_fini(&result);
	return place_begun(p, &published, failed, e);
}

int place_start(struct place *p, struct err *e)
{
	int again = p->name || p->has_own ? 0 : 1;

	while (again > 0)
		again = place_try_start(p, e);
	return again;
}

static void place_end_own(struct place *p)
{
	if (p->has_own)
		session_end(&p->own);
	p->own = session_none();
	p->has_own = p->is_left = false;
}

void place_note(struct place *p, const struct session_call *call)
{
	p->is_left = call->left;
	if (call->lost)
		place_end_own(p);
}

void place_close(struct place *p)
{
	place_end_own(p);
	supplier_close(&p->warm);
}
