/*
 * supplier_said - read the stderr of our own supervisor (client/supplier.h).
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_SUPPLIER_SAID_H
#define GLOVEBOX_CLIENT_SUPPLIER_SAID_H

#include "base/err.h"

/*
 * Repeat its lines about modules that it could not preload, on our stderr. @fd: borrowed; -1: none.
 */
void supplier_said_left_out(int fd);

/* Replace *e by its last message, if any: why it exits. @fd: the same. */
void supplier_said_last(int fd, struct err *e);

#endif
