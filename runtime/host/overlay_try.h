/*
 * overlay_try - whether this kernel lets a sandbox have a root that can be changed (--writable).
 *
 * Runs: `glovebox doctor`. Needs: namespaces.
 */
#ifndef GLOVEBOX_HOST_OVERLAY_TRY_H
#define GLOVEBOX_HOST_OVERLAY_TRY_H

/*
 * overlay_try - a short-lived child mounts one, of a tmpfs, in namespaces of its own.
 * 0, or -1 with errno: ENODEV or EPERM if the kernel has no overlayfs, or none for user namespaces.
 */
int overlay_try(void);

#endif
