/*
 * certificates - find the CA certificates for https servers.
 */
#include "agent/server/certificates.h"

#include <stddef.h>
#include <unistd.h>

const char *certificates_find(void)
{
	static const char *const places[] = {
		"/etc/ssl/certs/ca-certificates.crt",                /* Debian, Arch, Gentoo */
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* Fedora, RHEL */
		"/etc/pki/tls/certs/ca-bundle.crt",                  /* the same, formerly */
		"/etc/ssl/ca-bundle.pem",                            /* openSUSE */
		"/etc/ssl/cert.pem",                                 /* Alpine */
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!access(places[i], R_OK))
			return places[i];
	return NULL;
}
