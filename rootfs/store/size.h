/*
 * size - print bytes for people: "412MB", as docker images does.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_STORE_SIZE_H
#define GLOVEBOX_ROOTFS_STORE_SIZE_H

#include <stdint.h>
#include <stdio.h>

/* Decimal units, three digits. Returns out. */
static inline const char *size_text(uint64_t bytes, char out[24])
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	double value = (double)bytes;
	int unit = 0;

	while (value >= 999.5 && unit < 4) {
		value /= 1000;
		unit++;
	}
	snprintf(out, 24, "%.3g%s", value, units[unit]);
	return out;
}

#endif
