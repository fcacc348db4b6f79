/*
 * device - check the machine's harmless devices, which every sandbox gets.
 *
 * They are the only mounts without nodev, and the sandbox may write to them. So each must be the
 * device of its name: a /dev/null that is a plain file, as after "cp x /dev/null", would connect
 * one sandbox with another.
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

/* 0, or ERR_UNSUPPORTED with the remedy: the device is missing, or something else has its name. */
int device_check(const struct device *device, struct err *e);

#endif
