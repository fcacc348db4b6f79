/*
 * guest - find the guest's files (rootfs/guest, cell.so, cell-init, arenas.so), which a nursery
 * sees.
 *
 * Runs: supervisor. Needs: read access to them.
 */
#ifndef GLOVEBOX_WARM_GUEST_H
#define GLOVEBOX_WARM_GUEST_H

#include <limits.h>

#include "base/err.h"
#include "spec/spec.h"

/*
 * guest_find - their directory: bin/../guest in a build, bin/../lib/glovebox/guest when installed.
 * The one-file program contains them, and leaves @out empty. ERR_INPUT: they are missing.
 */
int guest_find(char out[PATH_MAX], struct err *e);

/* Mount them at @target in a sandbox, read-only. @dir: from guest_find(). */
void guest_mount(struct sandbox_spec *s, const char *dir, const char *target);

#endif
