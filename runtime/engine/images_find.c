/*
 * images_find - the image that a request names.
 */
#include "engine/images_find.h"

#include <string.h>

#include "base/own.h"
#include "engine/answer.h"
#include "image/image_reference.h"

char *images_reference(struct request *r, const char *name)
{
	char *reference = NULL;
	struct err e;

	if (!image_reference(name, &reference, &e))
		return reference;
	request_refuse(r, 400, "invalid reference format: %s", e.text); /* clients read the words */
	return NULL;
}

bool images_find(struct request *r, const char *name, struct image *out)
{
	auto_free char *reference = images_reference(r, name);
	struct err e;

	if (!reference)
		return false;
	if (!image_open(reference, out, &e))
		return true;
	if (e.kind == ERR_NOT_FOUND)
		request_refuse(r, 404, "No such image: %s", reference);
	else
		answer_error(r, &e);
	return false;
}
