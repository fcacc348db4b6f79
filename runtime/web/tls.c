/*
 * tls - the certificate and key of a server, for new connections.
 */
#include "web/tls.h"

#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/own.h"
#include "fs/document.h"
#include "fs/trusted_path.h"

#define PEM_BYTES     (1u << 20)
#define OTHERS_WRITE  (S_IWGRP | S_IWOTH)
#define OTHERS_ANY    (S_IRWXG | S_IRWXO)
#define OF_ROOT_GROUP (S_IWGRP | S_IXGRP | S_IRWXO)

struct tls {
	unsigned holders;
	gnutls_certificate_credentials_t credentials;
	struct buf certificate; /* PEM */
	struct buf key;
};

/* Parts being read; the holder is the reader. */
struct tls_parts {
	gnutls_x509_crt_t *chain;
	unsigned count;
	gnutls_x509_privkey_t key;
};

/* -- the files ------------------------------------------------------------------------------- */

static mode_t tls_key_rights(int fd)
{
	struct stat st;

	return geteuid() && !fstat(fd, &st) && !st.st_uid ? OF_ROOT_GROUP : OTHERS_ANY;
}

static int tls_read(const char *path, bool is_secret, struct buf *out, struct err *e)
{
	auto_fd int fd = trusted_path_read(path, e);

	return fd < 0 ||
			       document_judge(fd, path,
					      is_secret ? tls_key_rights(fd) : OTHERS_WRITE, e) ||
			       io_read_fd(fd, path, PEM_BYTES, out, e)
		       ? -1
		       : 0;
}

static gnutls_datum_t tls_datum(struct buf *text)
{
	const char *bytes = buf_string(text);

	return (gnutls_datum_t){.data = (unsigned char *)bytes, .size = (unsigned)text->length};
}

static int tls_parse_certificate(struct tls *tls, struct tls_parts *parts, struct err *e)
{
	const gnutls_datum_t text = tls_datum(&tls->certificate);
	int bad = gnutls_x509_crt_list_import2(&parts->chain, &parts->count, &text,
					       GNUTLS_X509_FMT_PEM,
					       GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED);

	return bad < 0 ? err_input(e, "no certificates in PEM, its own first: %s",
				   gnutls_strerror(bad))
		       : 0;
}

static int tls_parse_key(struct tls *tls, struct tls_parts *parts, struct err *e)
{
	const gnutls_datum_t text = tls_datum(&tls->key);
	int bad = gnutls_x509_privkey_init(&parts->key);

	if (!bad)
		bad = gnutls_x509_privkey_import2(parts->key, &text, GNUTLS_X509_FMT_PEM, NULL, 0);
	return bad < 0 ? err_input(e, "no key in PEM without a password: %s", gnutls_strerror(bad))
		       : 0;
}

static int tls_join(struct tls *tls, const struct tls_parts *parts, struct err *e)
{
	int bad = gnutls_certificate_set_x509_key(tls->credentials, parts->chain, (int)parts->count,
						  parts->key);

	return bad < 0 ? err_input(e, "it is not the key of that certificate: %s",
				   gnutls_strerror(bad))
		       : 0;
}

static int tls_load(struct tls *tls, const char *certificate, const char *key,
		    struct tls_parts *parts, struct err *e)
{
	if (tls_read(certificate, false, &tls->certificate, e) || tls_read(key, true, &tls->key, e))
		return -1;
	if (tls_parse_certificate(tls, parts, e))
		return err_prefix(e, "%.300s", certificate);
	return tls_parse_key(tls, parts, e) || tls_join(tls, parts, e)
		       ? err_prefix(e, "%.300s", key)
		       : 0;
}

static void tls_parts_fini(struct tls_parts *parts)
{
	for (unsigned i = 0; i < parts->count; i++)
		gnutls_x509_crt_deinit(parts->chain[i]);
	gnutls_free(parts->chain);
	gnutls_x509_privkey_deinit(parts->key);
}

struct tls *tls_open(const char *certificate, const char *key, struct err *e)
{
	struct tls *tls = own_zeroed(1, sizeof(*tls));
	struct tls_parts parts = {0};
	int bad;

	tls->holders = 1;
	if (gnutls_certificate_allocate_credentials(&tls->credentials))
		abort(); /* out of memory: as own_zeroed() does */
	bad = tls_load(tls, certificate, key, &parts, e);
	tls_parts_fini(&parts);
	if (!bad)
		return tls;
	tls_release(tls);
	return NULL;
}

/* -- its life -------------------------------------------------------------------------------- */

struct tls *tls_hold(struct tls *tls)
{
	tls->holders++;
	return tls;
}

void tls_release(struct tls *tls)
{
	if (!tls || --tls->holders)
		return;
	gnutls_certificate_free_credentials(tls->credentials);
	buf_fini(&tls->certificate);
	buf_fini(&tls->key);
	free(tls);
}

int tls_use(const struct tls *tls, void *session)
{
	return session && !gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, tls->credentials)
		       ? 0
		       : -1;
}
