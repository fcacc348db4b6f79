/*
 * box - a sandbox as clients of another maker's API know it.
 */
#include "box/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/own.h"
#include "base/random.h"
#include "loop/clock.h"
#include "session/session_spec.h"

#define UNKNOWN_MS     (24 * 3600 * 1000ull) /* of a session that is not asked how long it lives */
#define METADATA_MOST  64
#define METADATA_BYTES 512 /* of a name and its text */
#define HOME_INODES    65536
#define MIB            (1u << 20)

/* -- the table ------------------------------------------------------------------------------- */

struct box *box_find(const struct server *s, const struct box_face *face, const char *name)
{
	struct box *b;

	LIST_FOREACH (b, &s->boxes, link) {
		if (b->face == face && !strcmp(b->name, name))
			return b;
	}
	return NULL;
}

struct box *box_meet(struct server *s, const struct box_face *face, const char *name,
		     const struct key *owner)
{
	struct box *b = box_find(s, face, name);

	if (b)
		return b;
	b = own_zeroed(1, face->size);
	b->face = face;
	snprintf(b->name, sizeof(b->name), "%s", name);
	snprintf(b->owner, sizeof(b->owner), "%s", owner->id);
	b->template = own_strdup(s->image);
	buf_text(&b->metadata, "{}");
	b->met_us = monotonic_us();
	box_lives(b, UNKNOWN_MS);
	if (face->begin)
		face->begin(b);
	LIST_INSERT_HEAD(&s->boxes, b, link);
	return b;
}

void box_lives(struct box *b, uint64_t ms)
{
	const uint64_t now = monotonic_us();

	b->ends_us = ms < (UINT64_MAX - now) / 1000 ? now + ms * 1000 : UINT64_MAX;
}

void box_ages(struct box *b, uint64_t age_ms, uint64_t ttl_ms)
{
	box_lives(b, ttl_ms ? ttl_ms - clock_earlier(age_ms, ttl_ms) : UINT64_MAX);
}

uint64_t box_began(struct box *b, uint64_t age_ms)
{
	if (!b->began_ms)
		b->began_ms = clock_now_ms() - age_ms;
	return b->began_ms;
}

void box_forget(struct box *b)
{
	if (b->face->release)
		b->face->release(b);
	for (unsigned i = 0; i <= BOX_CONTEXTS; i++)
		box_context_drop(&b->contexts[i]);
	LIST_REMOVE(b, link);
	free(b->template);
	buf_fini(&b->metadata);
	free(b);
}

void box_forget_named(const struct server *s, const struct box_face *face, const char *name)
{
	struct box *b = box_find(s, face, name);

	if (b)
		box_forget(b);
}

void box_sweep(struct server *s)
{
	const uint64_t now = monotonic_us();
	struct box *next;

	for (struct box *b = LIST_FIRST(&s->boxes); b; b = next) {
		next = LIST_NEXT(b, link);
		if (b->ends_us < now)
			box_forget(b);
	}
}

void box_forget_all(struct server *s)
{
	while (!LIST_EMPTY(&s->boxes))
		box_forget(LIST_FIRST(&s->boxes));
}

const struct session_entry *box_session(const struct session_work *w, const char *name)
{
	for (size_t i = 0; i < w->result.session_count; i++) {
		if (!strcmp(w->result.sessions[i].name, name))
			return &w->result.sessions[i];
	}
	return NULL;
}

void box_forget_ended(const struct session_work *w, const struct box_face *face)
{
	struct box *next;

	for (struct box *b = LIST_FIRST(&w->server->boxes); b; b = next) {
		next = LIST_NEXT(b, link);
		if (b->face == face && b->met_us < w->request->began_us &&
		    !strcmp(b->owner, w->key->id) && !box_session(w, b->name))
			box_forget(b);
	}
}

/* -- contexts -------------------------------------------------------------------------------- */

struct box_context *box_context(struct box *b, const char *id)
{
	for (unsigned i = 0; i <= BOX_CONTEXTS; i++) {
		if (*id && !strcmp(b->contexts[i].id, id))
			return &b->contexts[i];
	}
	return NULL;
}

struct box_context *box_context_add(struct box *b, const char *language, const char *cwd)
{
	unsigned char bytes[16];
	struct box_context *c;
	unsigned slot = 1;

	while (slot <= BOX_CONTEXTS && *b->contexts[slot].id)
		slot++;
	if (slot > BOX_CONTEXTS)
		return NULL;
	c = &b->contexts[slot];
	*c = (struct box_context){.cwd = own_strdup(cwd), .is_fresh = true};
	snprintf(c->language, sizeof(c->language), "%s", language);
	snprintf(c->slot, sizeof(c->slot), "%u", slot);
	random_bytes(bytes, sizeof(bytes));
	encode_hex(bytes, sizeof(bytes), c->id);
	return c;
}

void box_context_drop(struct box_context *c)
{
	free(c->cwd);
	*c = (struct box_context){0};
}

/* -- what a new one may be ------------------------------------------------------------------- */

void box_describe(struct box *b, const char *template, const struct json *metadata)
{
	if (template) {
		free(b->template);
		b->template = own_strdup(template);
	}
	if (metadata) {
		buf_cut(&b->metadata, 0);
		json_write(metadata, &b->metadata);
	}
}

bool box_is_template(const struct server *s, const char *text, const char *const *names)
{
	const size_t length = strcspn(s->image, ":");

	for (; *names; names++) {
		if (!strcmp(text, *names))
			return true;
	}
	return !strcmp(text, s->image) ||
	       (strlen(text) == length && !strncmp(text, s->image, length));
}

int box_check_metadata(const struct json *metadata, struct err *e)
{
	if (metadata && !json_is_object(metadata))
		return err_input(e, "metadata: an object of texts is needed");
	if (json_count(metadata) > METADATA_MOST)
		return err_input(e, "metadata: more than %d members", METADATA_MOST);
	for (const struct json *n = json_first(metadata); n; n = json_next(n)) {
		if (!json_string(n))
			return err_input(e, "metadata: an object of texts is needed");
		if (strlen(json_string(n)) + strlen(json_key(n)) > METADATA_BYTES)
			return err_input(e, "metadata: a member of more than %d bytes",
					 METADATA_BYTES);
	}
	return 0;
}

int box_plan(struct session_work *w, const char *home, struct err *e)
{
	struct sandbox_spec *spec = &w->terms;
	struct mount_spec *m = spec_add_mount(spec, MOUNT_TMPFS, home);

	m->size_bytes = WORKSPACE_BYTES;
	m->inodes = HOME_INODES;
	m->mode = 0755;
	m->uid = m->gid = -1;
	m->exec = true;
	spec->workdir = spec_strdup(spec, home);
	spec->warm = WARM_REQUIRE;
	w->ask.begin.spec = spec;
	return session_spec_finish(spec, w->server->image, e);
}

unsigned long box_cpus(const struct server *s)
{
	const struct limits *l = &s->terms.limits;
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (l->cpu_quota_us == SPEC_UNLIMITED || !l->cpu_period_us)
		return online > 0 ? (unsigned long)online : 1;
	return (unsigned long)((l->cpu_quota_us + l->cpu_period_us - 1) / l->cpu_period_us);
}

unsigned long box_memory_mib(const struct server *s)
{
	const uint64_t bytes = s->terms.limits.memory_bytes;

	return bytes == SPEC_UNLIMITED ? 0 : (unsigned long)(bytes / MIB);
}
