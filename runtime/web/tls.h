/*
 * tls - the certificate and key of a server, for new connections.
 *
 * Each connection holds the one of its beginning: a reloaded certificate serves new connections,
 * and the old one is freed with its last connection.
 *
 * Touches the OS. Runs: serve. Needs: read access to both files.
 */
#ifndef GLOVEBOX_WEB_TLS_H
#define GLOVEBOX_WEB_TLS_H

#include "base/err.h"

struct tls;

/* Versions and ciphers, in the syntax of GnuTLS. */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/*
 * tls_open - read a certificate, with its chain in the same file, and the key, both PEM.
 *
 * The key file must be ours without access for others, or root's with read access for one group at
 * most, which root has granted.
 * Owned: tls_release(). NULL with *e, which names the file: ERR_INPUT, ERR_SYSTEM.
 */
struct tls *tls_open(const char *certificate, const char *key, struct err *e);

/* Add a reference. */
struct tls *tls_hold(struct tls *tls);

/* Drop a reference; the last one frees it. Safe on NULL. */
void tls_release(struct tls *tls);

/*
 * tls_use - present this certificate on a connection; before its handshake.
 *
 * @session  gnutls_session_t. It must end before tls is released.
 * -1: no memory; the connection must not go on.
 */
int tls_use(const struct tls *tls, void *session);

#endif
