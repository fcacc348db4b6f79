/*
 * device - the machine's harmless devices, which every sandbox gets.
 *
 * They are the only mounts without nodev, and the sandbox may write to them. So each must be what
 * its name says: a /dev/null that is a plain file, as after "cp x /dev/null", would be a way from
 * one sandbox to another.
 *
 * Runs: monitor, supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_DEVICE_H
#define GLOVEBOX_HOST_DEVICE_H

#include "base/err.h"

/* The first is /dev/null; ends with a null path. */
extern const struct device {
	const char *path;
	unsigned major; /* Linux: admin-guide/devices.txt */
	unsigned minor;
} devices[];

/* 0, or ERR_UNSUPPORTED with the remedy: there is no such device, or something else in its place.
 */
int device_check(const struct device *device, struct err *e);

#endif
