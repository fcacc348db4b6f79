/*
 * channel - the bytes of a connection, plain or by TLS.
 *
 * Never waits. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_CHANNEL_H
#define GLOVEBOX_WEB_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "web/tls.h"

struct channel {
	int fd;             /* owned; -1: closed */
	struct tls *tls;    /* held; NULL: plain */
	void *session;      /* gnutls_session_t */
	bool is_shaken;     /* the handshake is over */
	bool awaits_writes; /* of two ways to go on that a handshake has: it has something to send
			     */
};

/*
 * channel_open - begin with a connection that was accepted.
 *
 * @fd   taken over, non-blocking.
 * @tls  the certificate to present, held until the end; NULL: plain.
 * -1: no memory for TLS; it is closed.
 */
int channel_open(struct channel *c, int fd, struct tls *tls);

/* Safe when it is closed. */
void channel_close(struct channel *c);

/*
 * channel_shake - go on with the handshake, if there is one.
 * Returns 1: it is over; 0: it waits; -1: it has failed.
 */
int channel_shake(struct channel *c);

/*
 * channel_read, channel_write - like read(2) and write(2). -1 with EAGAIN: wait; other errors end
 * the connection, and so does 0 of channel_read(). What waits must be written again as it was, or
 * with more behind it.
 */
ssize_t channel_read(struct channel *c, void *bytes, size_t size);
ssize_t channel_write(struct channel *c, const void *bytes, size_t size);

/* Whether the client has sent bytes that were not read. */
bool channel_has_unread(const struct channel *c);

/* Tell the client that nothing follows. It may still send. */
void channel_end(struct channel *c);

#endif
