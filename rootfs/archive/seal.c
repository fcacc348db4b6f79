/*
 * seal - the SHA-256 of a compressed archive, as its last bytes.
 */
#include "seal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interrupt.h"

#define ZSTD_MAGIC  "\x28\xb5\x2f\xfd"
#define CHUNK_BYTES (128u << 10)

/* RFC 8878, section 3.1.2: the magic number of a skippable frame, and the length of its content. */
static const char seal_begin[] = "\x5a\x2a\x4d\x18\x50\0\0\0glovebox sha256:";

#define BEGIN_BYTES (sizeof(seal_begin) - 1)
_Static_assert(BEGIN_BYTES + DIGEST_HEX - 1 == SEAL_BYTES, "the digits are the end");

void seal_make(const char digest[DIGEST_HEX], char out[SEAL_BYTES])
{
	memcpy(out, seal_begin, BEGIN_BYTES);
	memcpy(out + BEGIN_BYTES, digest, DIGEST_HEX - 1);
}

/* Find the seal and its offset; -1: none. */
static off_t seal_find(int fd, char seal[SEAL_BYTES])
{
	struct stat st;
	off_t at;

	if (fstat(fd, &st) || st.st_size < SEAL_BYTES)
		return -1;
	at = st.st_size - SEAL_BYTES;
	return pread(fd, seal, SEAL_BYTES, at) == SEAL_BYTES &&
			       !memcmp(seal, seal_begin, BEGIN_BYTES)
		       ? at
		       : -1;
}

static int seal_digest(int fd, off_t end, char out[DIGEST_HEX], struct err *e)
{
	static char chunk[CHUNK_BYTES];
	struct digest *digest = digest_begin();
	ssize_t n = 1;

	for (off_t at = 0; n > 0 && at < end && !interrupt_check(e); at += n) {
		size_t length = end - at < CHUNK_BYTES ? (size_t)(end - at) : CHUNK_BYTES;

		n = pread(fd, chunk, length, at);
		if (n > 0)
			digest_add(digest, chunk, (size_t)n);
	}
	digest_end(digest, out);
	if (n < 0)
		return err_sys(e, "read the archive");
	return interrupt_check(e);
}

int seal_check(int fd, struct err *e)
{
	char seal[SEAL_BYTES];
	char found[DIGEST_HEX];
	off_t at = seal_find(fd, seal);

	if (at < 0)
		return 0;
	if (seal_digest(fd, at, found, e))
		return -1;
	if (!memcmp(seal + BEGIN_BYTES, found, DIGEST_HEX - 1))
		return 0;
	return err_input(e, "the archive is damaged: its SHA-256 is %s, and its end says %.64s",
			 found, seal + BEGIN_BYTES);
}

int seal_require(int fd, struct err *e)
{
	char magic[4];
	char seal[SEAL_BYTES];

	if (pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
	    memcmp(magic, ZSTD_MAGIC, sizeof(magic)) != 0 || seal_find(fd, seal) >= 0)
		return 0;
	return err_input(e,
			 "its end, which holds its SHA-256, is not "
			 "what image save wrote: it was changed, or cut");
}
