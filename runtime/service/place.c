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

static int place_try_start(struct place *p, struct err *e)
{
	auto_buf struct buf published = {0};

	p->has_own =
		!notebook_wait_begin(supplier_where(&p->warm), p->spec, &published, &p->own, e);
	network_say_published(&published, "glovebox");
	return p->has_own ? 0 : -1;
}

/* The user's supervisor may turn out not to fit. */
int place_start(struct place *p, struct err *e)
{
	struct err second;

	if (p->name || p->has_own)
		return 0;
	if (!place_try_start(p, e) ||
	    (!p->warm.own && !supplier_fall_back(&p->warm, &second) && !place_try_start(p, e))) {
		supplier_tell(&p->warm);
		return 0;
	}
	if (p->warm.own)
		supplier_explain(&p->warm, e);
	return -1;
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
