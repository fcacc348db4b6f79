/*
 * mcp_session - the sessions of one connection: their list, their users, their end.
 */
#include "mcp/mcp_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/own.h"
#include "base/random.h"
#include "loop/clock.h"

#define HANDLE_MOST 32
#define HANDLE_OF   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
#define RENEW_US    (MCP_LEASE_MS * 1000ull / 4)
#define NAME_BYTES  12

/* -- the list -------------------------------------------------------------------------------- */

static size_t mcp_session_count(const struct mcp_connection *d)
{
	size_t count = 0;

	for (const struct mcp_session *s = d->sessions; s; s = s->next)
		count += s->is_begun || !TAILQ_EMPTY(&s->calls);
	return count;
}

static void mcp_session_free(struct mcp_session *s)
{
	mcp_listing_fini(&s->listing);
	free(s->handle);
	free(s->lost);
	free(s);
}

/* Free ended sessions unless their end is still to be reported. */
static void mcp_session_prune(struct mcp_connection *d)
{
	struct mcp_session **at = &d->sessions;

	while (*at) {
		struct mcp_session *s = *at;

		if (s->is_begun || !TAILQ_EMPTY(&s->calls) || s->renewal || s->lost) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		mcp_session_free(s);
	}
}

static struct mcp_session *mcp_session_new(struct mcp_connection *d, const char *handle)
{
	struct mcp_session *s = own_zeroed(1, sizeof(*s));

	mcp_session_prune(d);
	TAILQ_INIT(&s->calls);
	s->connection = d;
	s->handle = own_strdup(handle);
	s->next = d->sessions;
	d->sessions = s;
	return s;
}

struct mcp_session *mcp_session_known(struct mcp_connection *d, const char *handle)
{
	struct mcp_session *s = d->sessions;

	while (s && strcmp(s->handle, handle) != 0)
		s = s->next;
	return s;
}

struct mcp_session *mcp_session_find(struct mcp_connection *d, const char *handle, struct err *e)
{
	const char *wanted = handle ? handle : MCP_OWN_SESSION;
	const size_t length = strlen(wanted);
	struct mcp_session *s;

	if (!length || length > HANDLE_MOST || strspn(wanted, HANDLE_OF) != length) {
		err_input(e, "session: 1 to %d letters, digits, \"_\" and \"-\"", HANDLE_MOST);
		return NULL;
	}
	s = mcp_session_known(d, wanted);
	if (s && (s->is_begun || !TAILQ_EMPTY(&s->calls)))
		return s;
	if (mcp_session_count(d) >= d->backend->options.sessions_max) {
		err_set(e, ERR_LIMIT,
			"there are %zu sessions, and no more may be: reset_session ends one",
			mcp_session_count(d));
		return NULL;
	}
	return s ? s : mcp_session_new(d, wanted);
}

struct mcp_session *mcp_session_add(struct mcp_connection *d, const char *handle, bool is_begun)
{
	struct mcp_session *s = mcp_session_new(d, handle);

	mcp_session_rename(s);
	s->is_begun = is_begun;
	return s;
}

void mcp_session_absent(const char *handle, struct err *e)
{
	err_set(e, ERR_NOT_FOUND,
		"there is no session \"%.64s\": it has ended, or never was; leave `session` out, "
		"and execute_python begins one",
		handle);
}

void mcp_session_put_notice(const struct mcp_session *s, const char *was_lost, struct buf *text)
{
	if (!s->connection->is_lasting)
		buf_printf(text,
			   "[This is the new session %s: name it as `session` in the next calls, "
			   "which then find its variables and files.]\n",
			   s->handle);
	if (was_lost)
		buf_printf(text,
			   "[This is a new session: the one before is gone (%s), with its "
			   "variables and files.]\n",
			   was_lost);
}

/* -- one session ----------------------------------------------------------------------------- */

void mcp_session_rename(struct mcp_session *s)
{
	unsigned char bytes[NAME_BYTES];
	char hex[2 * NAME_BYTES + 1];

	random_bytes(bytes, sizeof(bytes));
	encode_hex(bytes, sizeof(bytes), hex);
	if (!s->connection->is_lasting)
		snprintf(s->name, sizeof(s->name), "%s", s->handle);
	else if (!s->connection->policy)
		snprintf(s->name, sizeof(s->name), "mcp-%s", hex);
	s->is_users = !s->connection->backend->supplier->own;
	mcp_listing_fini(&s->listing);
}

const char *mcp_session_where(const struct mcp_session *s)
{
	return s->is_users ? NULL : supplier_where(s->connection->backend->supplier);
}

void mcp_session_touch(struct mcp_session *s)
{
	supplier_tell(s->connection->backend->supplier);
	s->is_begun = true;
	s->used_us = monotonic_us();
	own_free(&s->lost);
}

void mcp_session_forget(struct mcp_session *s, const char *why)
{
	s->is_begun = false;
	own_free(&s->lost);
	s->lost = own_strdup(why);
	mcp_listing_fini(&s->listing);
}

/* -- renewal --------------------------------------------------------------------------------- */

static void mcp_session_end_renewal(struct mcp_session *s)
{
	if (!s->renewal)
		return;
	notebook_free(s->renewal);
	notebook_result_fini(&s->renewed);
	s->renewal = NULL;
}

/* Ignore the result: the next call reports a session that has ended. */
static void mcp_session_renewed(void *context)
{
	mcp_session_end_renewal(context);
}

/* Listing files counts as a use, which renews the lease. */
static void mcp_session_renew(struct mcp_session *s)
{
	const struct mcp_backend *backend = s->connection->backend;
	const struct notebook_request request = {
		.action = NOTEBOOK_FILES,
		.where = mcp_session_where(s),
		.name = s->name,
		.files = {.action = FILES_LIST, .path = "", .content_fd = -1},
	};
	struct err e;

	s->used_us = monotonic_us();
	if (notebook_start(backend->hub, &request, &s->renewed, mcp_session_renewed, s, &s->renewal,
			   &e))
		s->renewal = NULL;
}

static void mcp_session_renew_due(void *context)
{
	struct mcp_connection *d = context;
	uint64_t now = monotonic_us();

	for (struct mcp_session *s = d->sessions; s; s = s->next) {
		if (s->is_begun && TAILQ_EMPTY(&s->calls) && !s->renewal &&
		    now - s->used_us >= RENEW_US)
			mcp_session_renew(s);
	}
	hub_ring(d->backend->hub, &d->renewal, now + RENEW_US / 2);
}

void mcp_connection_open(struct mcp_connection *d, struct mcp_backend *backend,
			 const struct mcp_policy *policy, bool is_lasting)
{
	*d = (struct mcp_connection){
		.backend = backend, .policy = policy, .is_lasting = is_lasting};
	if (policy) /* the policy renews its sessions */
		return;
	d->renewal = (struct hub_timer){.ring = mcp_session_renew_due, .context = d};
	hub_ring(backend->hub, &d->renewal, monotonic_us() + RENEW_US / 2);
}

/* -- end of sessions ------------------------------------------------------------------------- */

static void mcp_session_dropped(void *context)
{
	struct mcp_session *s = context;

	mcp_session_end_renewal(s);
	s->is_begun = false;
}

static void mcp_session_drop(struct mcp_session *s)
{
	const struct mcp_backend *backend = s->connection->backend;
	const struct notebook_request request = {
		.action = NOTEBOOK_DROP, .where = mcp_session_where(s), .name = s->name};
	struct err e;

	mcp_session_end_renewal(s);
	s->is_begun &= s->is_users; /* our own supervisor ends with all its sessions */
	if (!s->is_begun)
		return;
	if (notebook_start(backend->hub, &request, &s->renewed, mcp_session_dropped, s, &s->renewal,
			   &e))
		s->is_begun = false;
}

static void mcp_session_free_all(struct mcp_connection *d)
{
	while (d->sessions) {
		struct mcp_session *s = d->sessions;

		d->sessions = s->next;
		mcp_session_end_renewal(s);
		mcp_session_free(s);
	}
}

void mcp_connection_leave(struct mcp_connection *d)
{
	mcp_session_free_all(d);
	d->backend = NULL;
}

static void mcp_session_wait_over(void *context)
{
	*(bool *)context = true;
}

void mcp_connection_close(struct mcp_connection *d, unsigned wait_ms)
{
	bool is_late = false;
	struct hub_timer late = {.ring = mcp_session_wait_over, .context = &is_late};

	if (!d->backend)
		return;
	hub_silence(d->backend->hub, &d->renewal);
	for (struct mcp_session *s = d->sessions; s; s = s->next)
		mcp_session_drop(s);
	hub_ring(d->backend->hub, &late, monotonic_us() + wait_ms * 1000ull);
	while (mcp_session_count(d) && !is_late)
		hub_turn(d->backend->hub);
	hub_silence(d->backend->hub, &late);
	mcp_session_free_all(d);
	d->backend = NULL;
}
