/*
 * gzip - bytes, packed (RFC 1952).
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_GZIP_H
#define GLOVEBOX_SERVE_GZIP_H

#include "base/buf.h"

/*
 * gzip_pack - pack all of it, fast rather than small: some 10 ms for a megabyte.
 * @out  empty. False: there is no memory, or it would not become smaller; then it is empty still.
 */
bool gzip_pack(const struct buf *in, struct buf *out);

#endif
