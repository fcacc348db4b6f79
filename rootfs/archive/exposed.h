/*
 * exposed - the ports at which an image says that its program listens: EXPOSE.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_ARCHIVE_EXPOSED_H
#define GLOVEBOX_ROOTFS_ARCHIVE_EXPOSED_H

#include "base/err.h"
#include "base/list.h"

#define EXPOSED_MAX 1024

/*
 * exposed_add - add PORT or FIRST-LAST, with "/tcp", "/udp", "/sctp" or nothing, which is tcp.
 * @ports  "8000/tcp" each, sorted, each once.
 * Errors: ERR_INPUT: it is not one, or they are more than EXPOSED_MAX.
 */
int exposed_add(struct list *ports, const char *text, struct err *e);

#endif
