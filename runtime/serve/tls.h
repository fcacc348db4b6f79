/*
 * tls - the certificate of a server, and its key, for connections that begin from now on.
 *
 * libmicrohttpd speaks TLS itself (by GnuTLS), with one certificate for its whole life. So each
 * connection is given ours when it begins: one that was read anew counts for those who come then,
 * and the old one goes with the last connection that has it.
 *
 * Touches the OS. Runs: serve. Needs: read access to both files.
 */
#ifndef GLOVEBOX_SERVE_TLS_H
#define GLOVEBOX_SERVE_TLS_H

#include "base/err.h"

struct tls;

/* Versions and ciphers, for libmicrohttpd; GnuTLS' own words. */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/*
 * tls_open - read a certificate, with those that follow it in its file, and the key, both PEM.
 *
 * The key must be ours and closed to others, or root's and open to one group at most: what the
 * group of a key of root's reads, root has decided.
 * Owned: tls_release(). NULL with *e, which names the file: ERR_INPUT, ERR_SYSTEM.
 */
struct tls *tls_open(const char *certificate, const char *key, struct err *e);

/* As they were in the files, for whoever must have a certificate before anybody connects. */
const char *tls_certificate_text(const struct tls *tls);
const char *tls_key_text(const struct tls *tls);

/* One more that needs it. */
struct tls *tls_hold(struct tls *tls);

/* One less; with the last it is freed. Safe on NULL. */
void tls_release(struct tls *tls);

/*
 * tls_use - a connection shall show this certificate, before its handshake begins.
 *
 * @session  gnutls_session_t. It must have ended when tls is released.
 * -1: no memory; the connection must not go on.
 */
int tls_use(const struct tls *tls, void *session);

#endif
