/*
 * image_config - read the configuration of an image.
 *
 * No side effects. Runs: monitor, supervisor, agent, glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_IMAGE_IMAGE_CONFIG_H
#define GLOVEBOX_IMAGE_IMAGE_CONFIG_H

#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

/* A file of the image that must appear in the (empty, writable) home, as a link. */
struct image_seed {
	const char *path;   /* relative to HOME: ".cache/matplotlib/fontlist-v330.json" */
	const char *target; /* absolute, inside the image */
};

struct image_config {
	const char *id;      /* "sha256:<64 hex>"; "host" for the host image */
	const char *created; /* RFC 3339, may be NULL */
	const char *arch;    /* "amd64", "arm64" */
	const char **env;    /* KEY=VALUE..., NULL at the end; never NULL itself */
	const char **cmd;    /* the same */
	const char **entrypoint;
	const char **exposed; /* "8000/tcp": where its program says that it listens */
	const char *user;     /* "name", "uid", "uid:gid" or "" */
	const char *workdir;  /* "": the image does not set one */
	const char **preload; /* modules that a warm Python of this image imports */
	struct image_seed *seeds;
	size_t seed_count;
};

/*
 * image_config_load - read what image.json says of the image's program.
 *
 * @document  borrowed: *out borrows its texts.
 * @out       its seeds are owned.
 * @strings   out: owned: the lists of *out. Both are there on error, too.
 * Errors: ERR_INPUT.
 */
int image_config_load(const struct json *document, struct image_config *out, char ***strings,
		      struct err *e);

#endif
