/*
 * image - the store of read-only roots, as seen by a run.
 *
 * Layout (the builder in rootfs/ writes it, this file only reads):
 *
 *   STORE/trees/<id>/rootfs/     the tree, owned by the store's owner
 *   STORE/trees/<id>/image.json  configuration: see struct image_config
 *   STORE/trees/<id>/manifest    mtree with sha256 of every file; `image verify` checks it
 *   STORE/tags/<name>:<tag>      symbolic link to ../trees/<id> ('/' in a name is written '+'),
 *                                or to "@host" for a tag of the built-in image
 *
 * Another user reaches trees/<id> once its owner has shared it (rootfs/store/tree_mode.h). root_fd
 * and the trees cloned from it lie below that directory: a process that receives one need not pass
 * through it.
 *
 * Stores, in this order: $GLOVEBOX_IMAGES alone if set; else for root /var/lib/glovebox/images;
 * else $XDG_DATA_HOME/glovebox/images (default ~/.local/share), then /var/lib/glovebox/images.
 *
 * The image "host" needs no store: the machine's own /usr.
 *
 * Reads the file system. Runs: monitor, supervisor, agent, glovebox-image. Needs: read access to
 * the store.
 */
#ifndef GLOVEBOX_IMAGE_IMAGE_H
#define GLOVEBOX_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "image/image_config.h"

struct image {
	char *reference; /* canonical: "python:latest"; "sha256:<id>" of one opened by its id */
	char *root_path; /* absolute path of rootfs/; NULL for the host image */
	int root_fd;     /* O_PATH on it; -1 for the host image */
	/*
	 * image.json with a shared lock (flock), as long as the image is open: by a sandbox, or a
	 * nursery. `image prune` keeps such an image. Everybody who may read the file can lock it,
	 * so nothing else depends on that, and nobody waits for it. -1 as above.
	 */
	int lock_fd;
	bool is_host;
	/*
	 * True if glovebox-image built it from a recipe, or it is the host's own: the packages'
	 * publishers made the interpreter. An imported image comes from a stranger. Only our code
	 * writes image.json, which lies beside the tree; an imported image's has no recipe.
	 */
	bool is_vouched;
	struct image_config config; /* borrowed from `document` (and `strings`) */
	struct json *document;
	char **strings;
};

/*
 * image_open - find an image and load its configuration.
 *
 * @reference  canonical (image/image_reference.h); where no tag has it, an id (image/image_id.h).
 * @out        on success owns everything in it; end with image_close().
 *
 * Errors: ERR_NOT_FOUND: no store has it (the text says how to get it); ERR_DENIED: it is closed to
 * us (the text says who can share it); ERR_INPUT: image.json is damaged (the text says to rebuild).
 */
int image_open(const char *reference, struct image *out, struct err *e);
void image_close(struct image *image);

/*
 * Whether a store has a tag of this canonical name without a '/', open to us; the image may be
 * damaged.
 */
bool image_exists(const char *reference);

/*
 * image_check_warm - whether a nursery may run the image's interpreter.
 *
 * A nursery runs our own code: it holds capabilities over the namespaces of its cells, and the
 * supervisor trusts its answers. A hostile interpreter would gain that power, so an imported image
 * is refused unless the user vouches for it (@trusted). ERR_INPUT names the image and the remedy.
 */
int image_check_warm(const struct image *image, bool trusted, struct err *e);

/* Whether its programs can be executed in place: hardened hosts mount homes with noexec. */
int image_check_executable(const struct image *image, struct err *e);

/* Call `each` for every tag of all stores, in any order; stop when it returns non-zero. */
int image_list(int (*each)(const struct image *image, void *context), void *context, struct err *e);

#endif
