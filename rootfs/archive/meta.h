/*
 * meta - read and write image.json (read by image/image.c).
 *
 * The manifest contains the part that a run sees (config, seed, preload), so that it belongs to the
 * image's identity.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_META_H
#define GLOVEBOX_ROOTFS_ARCHIVE_META_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/list.h"

struct meta {
	struct list env; /* KEY=VALUE */
	struct list cmd;
	struct list entrypoint;
	struct list exposed; /* exposed.h */
	char *user;
	char *workdir;
	struct list seed_paths;   /* below HOME; as many as seed_targets */
	struct list seed_targets; /* absolute, in the image */
	struct list preload;
	char *suite; /* NULL for an imported image, like the next */
	char *recipe;
	char *build; /* for a Dockerfile: dockerfile_known.h; otherwise NULL */
	uint64_t packages;
	uint64_t size_bytes;
};

void meta_fini(struct meta *m);
#define auto_meta __attribute__((cleanup(meta_fini)))

/* This machine's architecture as Docker and Debian name it. */
const char *meta_arch(void);

/* Read Docker's keys (Env, Cmd, Entrypoint, ExposedPorts, User, WorkingDir) from an object; NULL:
 * none. */
int meta_read_config(struct meta *m, const struct json *config, struct err *e);

/* Read the identity part back from a parsed image.json. */
int meta_read_identity(struct meta *m, const struct json *document, struct err *e);

/* Append `"config":{...},"seed":[...],"preload":[...]`, the same text for the same content. */
void meta_identity(const struct meta *m, struct buf *out);

/* All of image.json. @id  64 hex digits. */
void meta_document(const struct meta *m, const char *id, struct buf *out);

#endif
