/*
 * device - check the machine's harmless devices, which every sandbox gets.
 */
#include "host/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

const struct device devices[] = {
	{"/dev/null",    1, 3},
        {"/dev/zero",    1, 5},
        {"/dev/full",    1, 7},
        {"/dev/random",  1, 8},
	{"/dev/urandom", 1, 9},
        {"/dev/tty",     5, 0},
        {NULL,           0, 0},
};

int device_check(const struct device *device, struct err *e)
{
	struct stat st;
	const bool missing = lstat(device->path, &st);

	if (!missing && S_ISCHR(st.st_mode) && st.st_rdev == makedev(device->major, device->minor))
		return 0;
	return err_set(
		e, ERR_UNSUPPORTED,
		"%s is %s: \"mount -t devtmpfs none /dev\", or \"rm -f %s; mknod -m 666 %s c %u "
		"%u\" as root",
		device->path, missing ? "not there" : "not that device", device->path, device->path,
		device->major, device->minor);
}
