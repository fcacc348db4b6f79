/*
 * root_ca - the bundle with which a sandbox trusts the authorities of --ca.
 */
#include "root/root_ca.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/resolve.h"

#define BUNDLE_MAX (4u << 20)

/* For OpenSSL and Python; requests; curl; pip; git; node, which adds the file to its own bundle. */
const char *const root_ca_variables[] = {
	"SSL_CERT_FILE=" ROOT_CA_FILE,
	"REQUESTS_CA_BUNDLE=" ROOT_CA_FILE,
	"CURL_CA_BUNDLE=" ROOT_CA_FILE,
	"PIP_CERT=" ROOT_CA_FILE,
	"GIT_SSL_CAINFO=" ROOT_CA_FILE,
	"NODE_EXTRA_CA_CERTS=" ROOT_CA_FILE,
	NULL,
};

/* Paths of Debian and Alpine, Fedora, openSUSE, and LibreSSL. */
static const char *const bundles[] = {
	"etc/ssl/certs/ca-certificates.crt",
	"etc/pki/tls/certs/ca-bundle.crt",
	"etc/ssl/ca-bundle.pem",
	"etc/ssl/cert.pem",
};

/*
 * Open the first bundle that the image has, or return -1 with errno: ENOENT or ENOTDIR if it has
 * none.
 */
static int root_ca_open(const struct image *image)
{
	auto_fd int host_fd = -1;
	int fd = -1;

	if (image->is_host)
		host_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; fd < 0 && i < sizeof(bundles) / sizeof(bundles[0]); i++) {
		fd = resolve_open(image->is_host ? host_fd : image->root_fd, bundles[i],
				  O_RDONLY | O_NOCTTY | O_NONBLOCK,
				  RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
		if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
			return -1;
	}
	return fd;
}

/* Separate --ca by a newline: its first line must not join the image's last one. */
int root_ca_text(const struct image *image, const char *ca, struct buf *out, struct err *e)
{
	auto_fd int fd = root_ca_open(image);

	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		return err_sys(e, "open the certificates of image %s", image->reference);
	if (fd >= 0 && io_read_fd(fd, "the image's bundle of certificates", BUNDLE_MAX, out, e))
		return -1;
	buf_text(out, out->length ? "\n" : "");
	buf_text(out, ca);
	return 0;
}

int root_ca(const struct sandbox_spec *s, const struct image *image, struct mount_spec *out,
	    struct err *e)
{
	auto_buf struct buf text = {0};
	struct mount_file files[2] = {{.name = "ca.pem"}};

	for (size_t i = 0; i < s->mount_count; i++) {
		if (!strcmp(s->mounts[i].target, ROOT_CA_PLACE))
			return err_input(e, "--ca and the mount on " ROOT_CA_PLACE
					    " want the same place");
	}
	if (root_ca_text(image, s->ca, &text, e))
		return err_prefix(e, "--ca");
	files[0].bytes = spec_strndup(s, buf_string(&text), text.length);
	files[0].length = text.length;
	*out = (struct mount_spec){.kind = MOUNT_FILES,
				   .source_fd = -1,
				   .target = spec_strdup(s, ROOT_CA_PLACE),
				   .read_only = true,
				   .files = spec_copy(s, files, sizeof(files)),
				   .uid = -1,
				   .gid = -1};
	return 0;
}
