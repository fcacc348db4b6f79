/*
 * root_ca - the bundle with which a sandbox trusts the authorities of --ca.
 *
 * It holds the image's own bundle and then --ca, because these variables replace a program's
 * built-in bundle.
 *
 * Runs: monitor, client. Needs: read access to the image.
 */
#ifndef GLOVEBOX_ROOT_ROOT_CA_H
#define GLOVEBOX_ROOT_ROOT_CA_H

#include "base/err.h"
#include "image/image.h"
#include "spec/spec.h"

#define ROOT_CA_PLACE "/run/glovebox"
#define ROOT_CA_FILE  ROOT_CA_PLACE "/ca.pem"

/* NAME=ROOT_CA_FILE for every program that reads such a variable; ends with NULL. */
extern const char *const root_ca_variables[];

/*
 * root_ca_text - append the file's content: the image's bundle and @ca.
 * Errors: ERR_INPUT if the image's bundle is invalid.
 */
int root_ca_text(const struct image *image, const char *ca, struct buf *out, struct err *e);

/*
 * root_ca - the mount of the file.
 * @s     with --ca; owns the strings of *out.
 * Errors: ERR_INPUT if another mount has the place, or the image's bundle is invalid.
 */
int root_ca(const struct sandbox_spec *s, const struct image *image, struct mount_spec *out,
	    struct err *e);

#endif
