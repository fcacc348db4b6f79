/*
 * watch_basis - what a selftest was made on: if all of it is as it was, so are the layers.
 *
 * Runs: `glovebox selftest --watch`. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_WATCH_BASIS_H
#define GLOVEBOX_CLI_WATCH_BASIS_H

#include "base/buf.h"
#include "base/json.h"
#include "selftest/selftest.h"

enum basis_item {
	BASIS_KERNEL,     /* its release, */
	BASIS_BUILD,      /* the build of that release, */
	BASIS_PARAMETERS, /* and how it was booted */
	BASIS_GLOVEBOX,   /* the version, */
	BASIS_PROGRAM,    /* a digest of our program and of what runs inside, */
	BASIS_POLICY,     /* and of the ceilings of whoever runs this machine */
	BASIS_LAYERS,     /* the names of those that are tried */
	BASIS_HOST,       /* what doctor finds of the machine and of the limits */
	BASIS_ASKED,      /* the image, and --only */
	BASIS_ITEMS,
};

struct basis {
	char *items[BASIS_ITEMS]; /* text of ours; owned */
};

/* Ended by watch_basis_fini(). What cannot be read is empty. */
void watch_basis_find(struct basis *b, const struct selftest *t);
void watch_basis_fini(struct basis *b);

/* As an object; the names are those of docs/json.md. */
void watch_basis_put(const struct basis *b, struct buf *out, const char *key);

/*
 * basis_changes - the names of what is otherwise than in such an object, "kernel, parameters"; ""
 * if nothing is.
 */
void watch_basis_changes(const struct basis *b, const struct json *before, struct buf *out);

/* The kernel's release, and the build of it, as they are now. */
void watch_basis_kernel(char **release, char **build);

#endif
