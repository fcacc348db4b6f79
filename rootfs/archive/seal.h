/*
 * seal - the SHA-256 of a compressed archive, as its last bytes.
 *
 * It lies in a frame that zstd(1), Docker and podman skip. It proves that every byte of the file is
 * unchanged, times and names included, but not who wrote it. Only archives compressed by zstd have
 * one: recompressed otherwise, an archive still has the image's id (manifest.h).
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_SEAL_H
#define GLOVEBOX_ROOTFS_ARCHIVE_SEAL_H

#include "base/encode.h"
#include "base/err.h"

#define SEAL_BYTES 88

/* @digest  of all bytes before the seal */
void seal_make(const char digest[DIGEST_HEX], char out[SEAL_BYTES]);

/*
 * seal_check - read a file again, if it has a seal.
 * @fd  a regular file, whose position stays; borrowed
 * Errors: another digest; an interruption.
 */
int seal_check(int fd, struct err *e);

/*
 * seal_require - check that an archive still has its seal, if it had one when it was compressed.
 * Errors: the file is compressed by zstd, and its last bytes are not a seal.
 */
int seal_require(int fd, struct err *e);

#endif
