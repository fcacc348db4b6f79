/*
 * root_hosts - /etc/hosts, by which a sandbox finds its own name.
 *
 * Runs: monitor, client. Needs: read access to the image.
 */
#ifndef GLOVEBOX_HOST_ROOT_HOSTS_H
#define GLOVEBOX_HOST_ROOT_HOSTS_H

#include <stdbool.h>

#include "host/image.h"
#include "spec/spec.h"

/* What /etc/hosts says: localhost, and the name of the sandbox, also without its domain. */
const char *root_hosts_text(const struct sandbox_spec *s);

/*
 * Whether the image's own file has to be covered: with a list of hosts, and where the file does not
 * have the name. An image without the file is left alone unless --hostname was given, because room
 * for a new file costs a mount for each entry of /etc.
 */
bool root_hosts_are_needed(const struct sandbox_spec *s, const struct image *image);

#endif
