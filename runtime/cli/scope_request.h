/*
 * scope_request - the bytes that ask a user's systemd for a scope around the process that asks.
 *
 * One call of D-Bus (its specification, "Message Protocol"), StartTransientUnit of
 * org.freedesktop.systemd1(5), behind the few lines with which such a connection begins. No answer
 * is asked for.
 *
 * No side effects. Runs: wherever scope_enter() does.
 */
#ifndef GLOVEBOX_CLI_SCOPE_REQUEST_H
#define GLOVEBOX_CLI_SCOPE_REQUEST_H

#include <sys/types.h>

#include "base/buf.h"

/*
 * @uid   of this process.
 * @unit  the name of the scope, "NAME.scope". Its one process is the one at the other end of the
 *        connection, as the kernel tells systemd: no number of ours, which may be of another pid
 *        namespace.
 */
void scope_request(uid_t uid, const char *unit, struct buf *out);

#endif
