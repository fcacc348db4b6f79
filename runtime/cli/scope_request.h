/*
 * scope_request - write the D-Bus request for a scope around the calling process.
 *
 * One call (D-Bus specification, "Message Protocol"), StartTransientUnit of
 * org.freedesktop.systemd1(5), after the lines that open a connection. It asks for no reply.
 *
 * No side effects. Runs: wherever scope_enter() does.
 */
#ifndef GLOVEBOX_CLI_SCOPE_REQUEST_H
#define GLOVEBOX_CLI_SCOPE_REQUEST_H

#include <sys/types.h>

#include "base/buf.h"

/*
 * @uid   of this process.
 * @unit  the name of the scope, "NAME.scope". Its one process is the peer of the connection, as the
 *        kernel tells systemd: a pid of ours could be from another pid namespace.
 */
void scope_request(uid_t uid, const char *unit, struct buf *out);

#endif
