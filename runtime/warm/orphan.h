/*
 * orphan - interrupt the code of a call whose client has vanished, until it ends.
 *
 * No client enforces the call's limits any more. We interrupt its code at once and then every two
 * seconds, because an interrupt can get lost in it, and drop its output, so that it never waits for
 * a reader. Meanwhile we send the session a ping, which it answers when that code has ended. We
 * interpret nothing that comes from the session: code that answers early deceives only its own
 * session.
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
	int answer; /* owned; of the ping; -1: not sent yet */
	uint64_t since_us;
	uint64_t interrupt_at;
	uint64_t end_at; /* when the session must end; UINT64_MAX: never */
};

/*
 * orphan_begin - the client of a call has vanished.
 *
 * @session   of the call; may be frozen.
 * @begun_us  when it was lent for the call, which has @limit_ms; SPEC_UNLIMITED: none.
 * @out       end with orphan_end(), if orphan_has_ended() does not.
 */
void orphan_begin(struct orphan *out, struct session *session, uint64_t begun_us, uint64_t limit_ms,
		  uint64_t now_us);

/* A client waits for the session since then: the orphan must end SESSION_WAIT_MS later. */
void orphan_expect(struct orphan *o, uint64_t since_us);

/* Do what is due, a few times a second, because it may have much output to drop. Never waits. */
void orphan_look(struct orphan *o, struct session *session, uint64_t now_us);

/* Whether its code has ended: the session is then idle, without an orphan. Cheap. */
bool orphan_has_ended(struct orphan *o, struct session *session);

/* Whether it has missed its deadline: the session must end. */
bool orphan_is_late(const struct orphan *o, uint64_t now_us);

/* End the orphan. Safe without one. */
void orphan_end(struct orphan *o);

#endif
