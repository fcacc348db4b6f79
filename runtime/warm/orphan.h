/*
 * orphan - the code of a call whose caller has vanished: interrupted until it has ended.
 *
 * Nobody else is there to enforce the call's limits. Its code is interrupted at once and then every
 * two seconds, because an interrupt can get lost in it; what it prints is dropped, so that it never
 * waits for a reader. Meanwhile the session has a request (a ping), which it serves when that code
 * has ended. Nothing that comes out of the session is interpreted: code that answers too early
 * deceives only its own session.
 *
 * Runs: supervisor. Needs: write access to the session's cgroups.
 */
#ifndef GLOVEBOX_WARM_ORPHAN_H
#define GLOVEBOX_WARM_ORPHAN_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/session.h"

#define ORPHAN_PACE_US (SESSION_GRACE_MS * 1000) /* between two interrupts */

struct orphan {
	bool exists;
	int answer; /* owned; of the ping, -1: not sent yet */
	uint64_t since_us;
	uint64_t interrupt_at;
	uint64_t end_at; /* when its session must end; UINT64_MAX: at no time */
};

/*
 * orphan_begin - a call has lost its caller.
 *
 * @session   of the call; may be frozen.
 * @begun_us  when it was lent for the call, which has this limit; SPEC_UNLIMITED: none.
 * @out       end with orphan_end(), if orphan_has_ended() does not.
 */
void orphan_begin(struct orphan *out, struct session *session, uint64_t begun_us, uint64_t limit_ms,
		  uint64_t now_us);

/* Somebody has waited for the session since then: it must be over SESSION_WAIT_MS later. */
void orphan_expect(struct orphan *o, uint64_t since_us);

/* Do what is due: a few times a second, because it may have much to drop. Never waits. */
void orphan_look(struct orphan *o, struct session *session, uint64_t now_us);

/* Its code has ended: the session is idle, and the orphan exists no longer. Cheap. */
bool orphan_has_ended(struct orphan *o, struct session *session);

/* It has not ended in time: its session must. */
bool orphan_is_late(const struct orphan *o, uint64_t now_us);

/* Forget it. No error if there is none. */
void orphan_end(struct orphan *o);

#endif
