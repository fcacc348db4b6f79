/*
 * dockerfile_key - the key of a step: a SHA-256 over the previous key and the step's dependencies.
 */
#include "dockerfile_key.h"

#include <stdio.h>
#include <string.h>

#define MEANING "glovebox layer 1" /* change it when the same step makes another result */

static void dockerfile_key_number(struct digest *d, size_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu:", number);
	digest_add(d, text, strlen(text));
}

void dockerfile_key_text(struct digest *d, const char *text)
{
	if (!text) {
		digest_add(d, "-", 1);
		return;
	}
	dockerfile_key_number(d, strlen(text));
	digest_add(d, text, strlen(text));
}

void dockerfile_key_list(struct digest *d, const struct list *l)
{
	dockerfile_key_number(d, l->count);
	for (size_t i = 0; i < l->count; i++)
		dockerfile_key_text(d, l->items[i]);
}

struct digest *dockerfile_key_begin(const char *before, const char *kind)
{
	struct digest *d = digest_begin();

	dockerfile_key_text(d, MEANING);
	dockerfile_key_text(d, before);
	dockerfile_key_text(d, kind);
	return d;
}
