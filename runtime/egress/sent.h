/*
 * sent - tell whether a connection's peer has received everything.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_SENT_H
#define GLOVEBOX_EGRESS_SENT_H

#include <stdbool.h>

/* sent_is_all - whether no byte is unsent or unacknowledged, or the connection is over. */
bool sent_is_all(int fd);

#endif
