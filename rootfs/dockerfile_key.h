/*
 * dockerfile_key - the key of a step: a SHA-256 over the one before it and what the step depends
 * on.
 *
 * Each part is preceded by its length, and a list by its count, so two different steps never give
 * the same bytes. Pure.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_KEY_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_KEY_H

#include "base/encode.h"
#include "base/list.h"

/* @before  the key before it, or what a root begins with */
struct digest *dockerfile_key_begin(const char *before, const char *kind);
void dockerfile_key_text(struct digest *d, const char *text); /* NULL is not "" */
void dockerfile_key_list(struct digest *d, const struct list *l);

#endif
