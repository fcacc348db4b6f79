/*
 * import - import an image from a docker save archive, an OCI archive or a plain root.
 */
#ifndef GLOVEBOX_ROOTFS_IMPORT_H
#define GLOVEBOX_ROOTFS_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/list.h"
#include "fetched.h"
#include "spec/program_flags.h"
#include "spec/setting.h"

struct import_request {
	const char *path;      /* "-": stdin */
	const char *name;      /* for messages */
	const char *reference; /* as typed; NULL: from the archive */
	const char *id;        /* the required id; NULL: the one that the archive names */
	const char *config_of; /* of a plain root: the image whose configuration it gets; NULL */
	struct list changes;   /* of a plain root: instructions of a Dockerfile */
	const char *input;     /* of load */
	bool quiet;            /* of load and pull */
	bool silent;           /* print nothing on standard output */
	uint64_t bytes_max;
	struct fetched *fetched;
};

/* Errors: ERR_INPUT: the archive is damaged, or beyond a limit. */
int import_archive(const struct import_request *q, struct err *e);

/* Rows shared by all commands that import. */
/* clang-format off */
#define IMPORT_SIZE {"max-size", 0, "SIZE", GROUP_LIMITS, FACE_IMAGE, SETTING_BYTES, offsetof(struct import_request, bytes_max), "20g", .min = 1, .max = 1ll << 50, .help = "most that it may unpack to"}
#define IMPORT_PLATFORM {"platform", 0, "OS/ARCH", GROUP_DOCKER, FACE_IMAGE, SETTING_OWN, 0, NULL, .parse = program_flag_platform, .help = "only that of this machine"}
/* clang-format on */

#endif
