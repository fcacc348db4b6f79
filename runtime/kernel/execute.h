/*
 * execute - execute a cell in the session, and tell clients what comes of it as it comes.
 *
 * Runs: kernel. Needs: what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_KERNEL_EXECUTE_H
#define GLOVEBOX_KERNEL_EXECUTE_H

#include "kernel/kernel.h"

/* Execute the source of the request that is being done; its reply follows later. */
void execute_start(struct kernel *k);

/* Do not execute it: a cell before it has failed. */
void execute_abort(struct kernel *k);

/* A client has replied to input(). */
void execute_take_reply(struct kernel *k, const struct message *reply);

#endif
