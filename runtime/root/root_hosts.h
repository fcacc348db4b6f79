/*
 * root_hosts - /etc/hosts, in which a sandbox finds its own name.
 *
 * Runs: monitor, client. Needs: read access to the image.
 */
#ifndef GLOVEBOX_ROOT_ROOT_HOSTS_H
#define GLOVEBOX_ROOT_ROOT_HOSTS_H

#include <stdbool.h>

#include "image/image.h"
#include "spec/spec.h"

/* Our /etc/hosts: localhost, and the sandbox's name with and without its domain. */
const char *root_hosts_text(const struct sandbox_spec *s);

/*
 * Whether to cover the image's own file: with a list of hosts, and if the file lacks the name. An
 * image without the file gets none unless --hostname was given, because room for a new file costs a
 * mount for each entry of /etc.
 */
bool root_hosts_are_needed(const struct sandbox_spec *s, const struct image *image);

#endif
