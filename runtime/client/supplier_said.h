/*
 * supplier_said - what a supervisor of our own has said on its stderr (client/supplier.h).
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_SUPPLIER_SAID_H
#define GLOVEBOX_CLIENT_SUPPLIER_SAID_H

#include "base/err.h"

/* Say the same of the modules that it could not preload, on our stderr. @fd  borrowed; -1: nothing.
 */
void supplier_said_left_out(int fd);

/* Replace *e by what it said last, if anything: why it ends. @fd  the same. */
void supplier_said_last(int fd, struct err *e);

#endif
