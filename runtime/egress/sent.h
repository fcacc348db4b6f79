/*
 * sent - whether the other side of a connection has all that was sent to it.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_SENT_H
#define GLOVEBOX_EGRESS_SENT_H

#include <stdbool.h>

/* sent_is_all - nothing waits to be sent, or to be acknowledged; or the connection is over. */
bool sent_is_all(int fd);

#endif
