/*
 * pull - `glovebox image pull`: fetch images from a registry.
 */
#include "pull.h"

#include "base/own.h"
#include "command.h"
#include "fetched.h"
#include "image/image_reference.h"
#include "import.h"
#include "rootfs/archive/extract.h"

/* clang-format off */
static const struct setting pull_settings[] = {
	IMPORT_SIZE,
	{"quiet", 'q', NULL, GROUP_DOCKER, FACE_IMAGE, SETTING_FLAG, offsetof(struct import_request, quiet), NULL, .help = "no progress on stderr"},
	{"disable-content-trust", 0, NULL, GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "true", .help = "digests are always compared"},
	{"all-tags", 'a', NULL, GROUP_REFUSED, FACE_IMAGE, SETTING_MOOT, 0, NULL, .help = "name each tag"},
	IMPORT_PLATFORM,
	SETTING_END,
};
/* clang-format on */

static int pull_fetch(struct import_request *q, const char *name, struct err *e)
{
	auto_fetched struct fetched fetched = {.fd = -1};
	auto_free char *reference = NULL;
	int status;

	if (image_reference(name, &reference, e))
		return -1;
	fetched.reference = reference;
	fetched.quiet = q->quiet;
	if (fetched_start(&fetched, e))
		return -1;
	q->fetched = &fetched;
	q->path = q->name = name;
	q->reference = reference;
	status = import_archive(q, e);
	q->fetched = NULL;
	return status;
}

int pull_image(const char *name, struct err *e)
{
	struct import_request q = {
		.quiet = true, .silent = true, .bytes_max = EXTRACT_BYTES_DEFAULT};

	return pull_fetch(&q, name, e);
}

static int pull_run(int argc, char **argv, struct err *e)
{
	struct import_request q = {0};
	int at = arguments_read(&command_pull, argc, argv, &q, e);

	if (at < 0 || arguments_expect(&command_pull, argc - at, 1, 1, e))
		return -1;
	return pull_fetch(&q, argv[at], e);
}

const struct command command_pull = {
	.name = "pull",
	.usage = "NAME[:TAG]",
	.summary = "Fetch an image from a registry, through skopeo",
	.settings = pull_settings,
	.help = "skopeo(1), a package of Debian's, compares everything with the digests of the "
		"registry\n"
		"and reads the credentials that skopeo login or docker login wrote.\n",
	.run = pull_run,
};
