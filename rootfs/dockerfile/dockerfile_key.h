/*
 * dockerfile_key - the key of a step: a SHA-256 over the previous key and the step's dependencies.
 *
 * A length precedes each part, and a count each list, so two different steps never give the same
 * bytes. Pure.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_KEY_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_KEY_H

#include "base/encode.h"
#include "base/list.h"

/* @before: the previous key, or the identity of the root */
struct digest *dockerfile_key_begin(const char *before, const char *kind);
void dockerfile_key_text(struct digest *d, const char *text); /* NULL differs from "" */
void dockerfile_key_list(struct digest *d, const struct list *l);

#endif
