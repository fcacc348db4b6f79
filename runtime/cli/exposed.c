/*
 * exposed - `run --publish-all`: publish the ports that an image exposes.
 */
#include "cli/exposed.h"

#include <stdlib.h>

#include "image/image.h"
#include "netpolicy/egress_publish.h"

static bool exposed_is_published(const struct egress_spec *x, uint16_t port)
{
	for (size_t i = 0; i < x->published_count; i++) {
		if (x->published[i].port == port)
			return true;
	}
	return false;
}

/* As docker does: a port that -p names is not published once more. */
static int exposed_publish_one(struct sandbox_spec *spec, const char *port, struct err *e)
{
	struct egress_spec one = {0};
	int bad = egress_publish_add(&one, port, e);

	for (size_t i = 0; !bad && i < one.published_count; i++) {
		if (!exposed_is_published(&spec->egress, one.published[i].port))
			bad = egress_add_published(&spec->egress, &one.published[i], e);
	}
	free(one.published);
	return bad;
}

int exposed_publish(struct sandbox_spec *spec, const char *reference, struct err *e)
{
	struct image image;
	int bad = 0;

	if (!spec->publish_all)
		return 0;
	if (image_open(reference, &image, e))
		return -1;
	for (const char **port = image.config.exposed; !bad && *port; port++)
		bad = exposed_publish_one(spec, *port, e);
	image_close(&image);
	return bad ? err_prefix(e, "--publish-all") : 0;
}
