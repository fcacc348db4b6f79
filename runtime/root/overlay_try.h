/*
 * overlay_try - try whether this kernel allows --writable.
 *
 * Runs: `glovebox doctor`. Needs: namespaces.
 */
#ifndef GLOVEBOX_ROOT_OVERLAY_TRY_H
#define GLOVEBOX_ROOT_OVERLAY_TRY_H

/*
 * overlay_try - mount an overlay of a tmpfs in a short-lived child with namespaces of its own. 0,
 * or -1 with errno: ENODEV or EPERM if the kernel has no overlayfs, or none for user namespaces.
 */
int overlay_try(void);

#endif
