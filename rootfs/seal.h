/*
 * seal - the SHA-256 of a compressed archive, as its last bytes.
 *
 * It lies in a frame that zstd(1), Docker and podman skip. A file with a seal is as it was written,
 * to the byte, times and names included; who wrote it, it does not say. Only what zstd compresses
 * has one: whoever unpacks it, to compress it otherwise, still has the id of the image
 * (manifest.h).
 */
#ifndef GLOVEBOX_ROOTFS_SEAL_H
#define GLOVEBOX_ROOTFS_SEAL_H

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
 * seal_require - an archive says that it had a seal when it was compressed: does it still?
 * Errors: the file is compressed by zstd, and its last bytes are no seal.
 */
int seal_require(int fd, struct err *e);

#endif
