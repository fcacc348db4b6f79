/*
 * channel - the bytes of a connection, plain or by TLS.
 */
#include "web/channel.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"

#define MOST_WARNINGS 8 /* of a handshake, at once */
#define UNSENT_BYTES  (128 << 10)
#define FLAGS         (GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL)

static int channel_start_tls(struct channel *c, struct tls *tls)
{
	gnutls_session_t session = NULL;

	if (gnutls_init(&session, FLAGS))
		return -1;
	c->session = session;
	c->tls = tls_hold(tls);
	if (gnutls_priority_set_direct(session, TLS_PRIORITIES, NULL) || tls_use(tls, session))
		return -1;
	gnutls_handshake_set_timeout(session, 0); /* the clock of headers is ours */
	gnutls_transport_set_int(session, c->fd);
	return 0;
}

int channel_open(struct channel *c, int fd, struct tls *tls)
{
	*c = (struct channel){.fd = fd, .is_shaken = !tls};
	/* If it is TCP: of what we write, the kernel keeps little that it cannot send yet. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &(int){UNSENT_BYTES}, sizeof(int));
	if (tls && channel_start_tls(c, tls)) {
		channel_close(c);
		return -1;
	}
	return 0;
}

void channel_close(struct channel *c)
{
	if (c->session)
		gnutls_deinit(c->session);
	c->session = NULL;
	tls_release(c->tls);
	c->tls = NULL;
	own_close(&c->fd);
}

int channel_shake(struct channel *c)
{
	int done;
	int most = MOST_WARNINGS;

	if (c->is_shaken)
		return 1;
	do
		done = gnutls_handshake(c->session);
	while (done < 0 && done != GNUTLS_E_AGAIN && !gnutls_error_is_fatal(done) && most-- > 0);
	c->is_shaken = !done;
	c->awaits_writes = done && gnutls_record_get_direction(c->session);
	return done == GNUTLS_E_AGAIN ? 0 : done ? -1 : 1;
}

/* A client that renegotiates is none that we serve. */
static ssize_t channel_result(ssize_t n)
{
	if (n >= 0)
		return n;
	if (n == GNUTLS_E_PREMATURE_TERMINATION)
		return 0;
	errno = n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED ? EAGAIN : EPROTO;
	return -1;
}

ssize_t channel_read(struct channel *c, void *bytes, size_t size)
{
	ssize_t n;

	if (c->session)
		return channel_result(gnutls_record_recv(c->session, bytes, size));
	do
		n = recv(c->fd, bytes, size, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n;
}

ssize_t channel_write(struct channel *c, const void *bytes, size_t size)
{
	ssize_t n;

	if (c->session)
		return channel_result(gnutls_record_send(c->session, bytes, size));
	do
		n = send(c->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n;
}

bool channel_has_unread(const struct channel *c)
{
	int bytes = 0;

	return (!ioctl(c->fd, FIONREAD, &bytes) && bytes > 0) ||
	       (c->session && gnutls_record_check_pending(c->session));
}

void channel_end(struct channel *c)
{
	if (c->session && c->is_shaken)
		(void)gnutls_bye(c->session, GNUTLS_SHUT_WR);
	(void)shutdown(c->fd, SHUT_WR);
}
