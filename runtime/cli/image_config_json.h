/*
 * image_config_json - write the configuration of an image, as docker inspect --format '{{json
 * .Config}}' does.
 *
 * No side effects. Runs: inspect.
 */
#ifndef GLOVEBOX_CLI_IMAGE_CONFIG_JSON_H
#define GLOVEBOX_CLI_IMAGE_CONFIG_JSON_H

#include "base/buf.h"
#include "host/image.h"

/* Append it. Returns the text of *out. */
const char *image_config_json(const struct image_config *c, struct buf *out);

#endif
