/*
 * kept_session - decide when a session ends and when it can be lent, and describe its checkpoints.
 */
#include "warm/sessions.h"

#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "cgroup/cgroup_members.h"
#include "inside/door.h"
#include "sandbox/plan_image.h"
#include "sandbox/socket_count.h"
#include "warm/spare_fds.h"

/* The clock may have been read before the last use. */
static uint64_t kept_session_ms_since(uint64_t then_us, uint64_t now_us)
{
	return now_us > then_us ? (now_us - then_us) / 1000 : 0;
}

static bool kept_session_has_late_orphan(struct kept_session *k, uint64_t now_us)
{
	if (k->orphan.exists && orphan_has_ended(&k->orphan, &k->session))
		k->oom_kills = session_oom_kills(&k->session);
	return orphan_is_late(&k->orphan, now_us);
}

const char *kept_session_why_over(struct kept_session *k, bool ended, uint64_t now_us)
{
	if (k->ttl_ms && kept_session_ms_since(k->made_us, now_us) > k->ttl_ms)
		return "has reached the end of its time (--ttl)";
	if (k->borrower)
		return NULL;
	if (k->idle_ms && !k->visitors && kept_session_ms_since(k->used_us, now_us) > k->idle_ms)
		return "was idle for too long";
	if (!ended)
		return kept_session_has_late_orphan(k, now_us)
			       ? "could not be interrupted after its caller had vanished"
			       : NULL;
	return session_oom_kills(&k->session) > k->oom_kills ? "exceeded its memory limit"
							     : "has ended by itself";
}

bool kept_session_is_busy(const struct kept_session *k)
{
	return k->borrower || k->orphan.exists;
}

bool kept_session_can_be_lent(struct kept_session *k, const struct borrow_request *request,
			      uint64_t since_us)
{
	if (k->borrower || !k->orphan.exists || (request->files && !request->freeze))
		return !k->borrower;
	if (request->wait_ms) /* a client that does not wait does not count: a prompt's Tab */
		orphan_expect(&k->orphan, since_us);
	return false;
}

void kept_session_look_after(struct kept_session *k, uint64_t now_us)
{
	if (k->orphan.exists && !k->borrower)
		orphan_look(&k->orphan, &k->session, now_us);
}

const char *kept_session_why_full(const struct kept_session *k)
{
	struct socket_count sockets = socket_count_none();
	struct err e;
	int many;

	/*
	 * The borrower counts sockets itself; a frozen session makes none, unless it was thawed for
	 * an orphan.
	 */
	if ((k->borrower && !k->for_files) || (k->session.frozen && !k->orphan.exists))
		return NULL;
	socket_count_start(&sockets, k->session.fds[SESSION_PIDFD], k->session.memory_bytes);
	many = sockets.pidfd < 0 ? 0 : socket_count_look(&sockets, sockets.next_us, &e);
	socket_count_end(&sockets);
	/* Without descriptors we cannot count: try again later. */
	if (many < 0 && spare_fds_are_wanted())
		return NULL;
	if (many < 0)
		return "could not be looked at: /proc hides its pid 1 (hidepid); mount it with "
		       "gid=GROUP and start the warm supervisor in that group";
	return many ? "exceeded its memory limit, in sockets" : NULL;
}

int kept_session_set_life(struct kept_session *k, const struct life_request *request,
			  uint64_t now_us, struct life_answer *out, struct err *e)
{
	const uint64_t age_ms = kept_session_ms_since(k->made_us, now_us);
	const uint64_t left_ms = request->most_ms > age_ms ? request->most_ms - age_ms : 0;

	if (request->ttl_ms > left_ms)
		return err_set(e, ERR_LIMIT,
			       "the session may live %" PRIu64 " s more, and not longer",
			       left_ms / 1000);
	if (request->ttl_ms)
		k->ttl_ms = age_ms + request->ttl_ms;
	*out = (struct life_answer){.age_ms = age_ms, .ttl_ms = k->ttl_ms};
	return 0;
}

void kept_session_list_checkpoints(const struct kept_session *k, uint64_t now_us,
				   struct checkpoints_answer *out)
{
	const struct session *session = &k->session;
	struct listed_checkpoint *items = own_zeroed(SESSION_MAX_CHECKPOINTS, sizeof(*items));

	for (unsigned i = 0; i < session->checkpoint_count; i++) {
		items[i].name = session->checkpoints[i].name;
		items[i].age_ms = kept_session_ms_since(session->checkpoints[i].made_us, now_us);
	}
	out->checkpoints = (struct form_list){items, session->checkpoint_count};
}

void kept_session_leave_files(struct kept_session *k)
{
	struct err ignored;

	k->borrower = NOBODY;
	if (k->session.frozen && cgroup_thaw_once(&k->session.group, &ignored) >= 0)
		k->session.frozen = false;
}

/* Its client thaws it for a call, and says so when it returns it. */
static bool kept_session_stands_still(const struct kept_session *k)
{
	return k->session.frozen && (!k->borrower || k->for_files);
}

uint64_t kept_session_cpu_us(const struct kept_session *k)
{
	const struct cgroup group = cgroup_borrow(&k->session.group);
	struct cgroup_usage usage;

	cgroup_read_usage(&group, &usage);
	return usage.cpu_us ? usage.cpu_us : cgroup_members_cpu_us(&k->session.group);
}

struct session_entry kept_session_describe(const struct kept_session *k, bool memory,
					   uint64_t now_us)
{
	struct session_entry entry = {.name = k->name,
				      .busy = kept_session_is_busy(k),
				      .frozen = kept_session_stands_still(k),
				      .calls = k->calls,
				      .age_ms = (now_us - k->made_us) / 1000,
				      .idle_ms = (now_us - k->used_us) / 1000,
				      .ttl_ms = k->ttl_ms,
				      .checkpoints = k->session.checkpoint_count};

	if (memory)
		entry.memory_bytes = cgroup_resident_bytes(&k->session.group);
	return entry;
}

int kept_session_enter(struct kept_session *k, const char *layout, struct door_answer *out,
		       int *fds, struct err *e)
{
	if (strcmp(layout, plan_image_layout()) != 0)
		return err_set(
			e, ERR_UNSUPPORTED,
			"the session %.63s is of another build of glovebox: end it, and glovebox "
			"warm stop and start make cells of this one",
			k->name);
	if (kept_session_stands_still(k))
		return err_set(
			e, ERR_BUSY,
			"the session %.63s is frozen: glovebox session thaw %.63s lets it go on",
			k->name, k->name);
	if (k->visitors == DOOR_PROGRAMS)
		return err_set(
			e, ERR_BUSY,
			"the session %.63s has programs of %d clients already: try again later",
			k->name, DOOR_PROGRAMS);
	fds[0] = k->session.fds[SESSION_CONTROL];
	fds[1] = k->session.fds[SESSION_PLAN];
	*out = (struct door_answer){.exec = ++k->execs, .uid = k->session.host_uid};
	return 0;
}
