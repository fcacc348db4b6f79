/*
 * gnutls - GnuTLS begins in the programs that use it, and in no other.
 */
#ifndef GLOVEBOX_APPLIANCE_GNUTLS_H
#define GLOVEBOX_APPLIANCE_GNUTLS_H

#include "base/err.h"

/*
 * gnutls_begin - initialize GnuTLS, before main() of a program that uses it.
 *
 * Runs: serve, agent.  Needs: nothing.
 */
int gnutls_begin(struct err *e);

#endif
