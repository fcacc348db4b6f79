/*
 * exposed - `run --publish-all`: publish the ports that an image exposes.
 *
 * Runs: `glovebox`. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_EXPOSED_H
#define GLOVEBOX_CLI_EXPOSED_H

#include "spec/spec.h"

/*
 * exposed_publish - if the spec says so, publish each port that the image exposes on 127.0.0.1, at
 * a port that is chosen at the start; not one that -p names.
 * @reference  of the image, canonical.
 * Errors: ERR_UNSUPPORTED: one is not of tcp; ERR_INPUT: they are too many; those of image_open().
 */
int exposed_publish(struct sandbox_spec *spec, const char *reference, struct err *e);

#endif
