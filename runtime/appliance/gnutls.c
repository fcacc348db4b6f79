/*
 * gnutls - GnuTLS begins in the programs that use it, and in no other.
 *
 * GnuTLS initializes itself before main(), which would be in each `glovebox run`, and
 * as pid 1 of a machine without a /proc: it reads files of the host's and takes memory. Its own
 * switch turns that off; the linker has the function below stand for what libcurl calls
 * (-Wl,--wrap).
 */
#include "appliance/gnutls.h"

#include <gnutls/gnutls.h>

GNUTLS_SKIP_GLOBAL_INIT

static bool has_begun;

int __real_gnutls_global_init(void);
int __wrap_gnutls_global_init(void);

int __wrap_gnutls_global_init(void)
{
	return has_begun ? __real_gnutls_global_init() : 0;
}

int gnutls_begin(struct err *e)
{
	int bad;

	has_begun = true;
	bad = __real_gnutls_global_init();
	return bad ? err_set(e, ERR_SYSTEM, "GnuTLS does not start: %s", gnutls_strerror(bad)) : 0;
}
