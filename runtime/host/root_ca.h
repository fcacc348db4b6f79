/*
 * root_ca - the file with which a sandbox trusts the authorities of --ca.
 *
 * It holds the image's own bundle and then --ca, because these variables name what is trusted
 * instead of, not besides, what a program comes with.
 *
 * Runs: monitor, client. Needs: read access to the image.
 */
#ifndef GLOVEBOX_HOST_ROOT_CA_H
#define GLOVEBOX_HOST_ROOT_CA_H

#include "base/err.h"
#include "host/image.h"
#include "spec/spec.h"

#define ROOT_CA_PLACE "/run/glovebox"
#define ROOT_CA_FILE  ROOT_CA_PLACE "/ca.pem"

/* NAME=ROOT_CA_FILE for all programs that are known to read one; NULL ends them. */
extern const char *const root_ca_variables[];

/*
 * root_ca_text - append what that file holds: the image's bundle and @ca.
 * Errors: ERR_INPUT if the image's bundle cannot be one.
 */
int root_ca_text(const struct image *image, const char *ca, struct buf *out, struct err *e);

/*
 * root_ca - the mount that holds the file.
 * @s     with --ca; keeps what *out points to.
 * Errors: ERR_INPUT if something else is mounted there, or the image's bundle cannot be one.
 */
int root_ca(const struct sandbox_spec *s, const struct image *image, struct mount_spec *out,
	    struct err *e);

#endif
