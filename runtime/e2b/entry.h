/*
 * entry - which sandbox a request of E2B's API is for, and whether it may reach it.
 *
 * Control requests (/sandboxes) have a key. What goes into a sandbox (its files, programs and code)
 * has the sandbox's own token instead, or a signature of one path; and the sandbox is named by a
 * header, by the host name PORT-ID.DOMAIN, or by the signature alone.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_ENTRY_H
#define GLOVEBOX_E2B_ENTRY_H

#include <stdbool.h>

#include "e2b/e2b_box.h"
#include "tenant/handle.h"
#include "web/http.h"

/* Admit a request, as a site does; false: refused and answered. */
bool entry_admit(struct request *r);

/* The session that a request into a sandbox names. false: none. */
bool entry_name(const struct request *r, char out[HANDLE_BYTES]);

/*
 * The box that an admitted request names, or NULL: the request is answered, or its route runs again
 * when the supervisor has said that there is such a session. Ask for it before anything else.
 */
struct e2b_box *entry_box(struct request *r);

/* Refuse it: the sandbox is gone, in the words by which clients know that. */
void entry_refuse_gone(struct request *r);

#endif
