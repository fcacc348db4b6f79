/*
 * dockerfile_build - build an image from a Dockerfile and a directory.
 */
#include "dockerfile_build.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/say.h"
#include "finish.h"
#include "image/image_reference.h"
#include "pull.h"
#include "rootfs/archive/extract.h"
#include "rootfs/chamber/progress.h"
#include "rootfs/debian/share.h"
#include "rootfs/dockerfile/dockerfile.h"
#include "rootfs/dockerfile/dockerfile_context.h"
#include "rootfs/dockerfile/dockerfile_execute.h"
#include "rootfs/dockerfile/dockerfile_home.h"
#include "rootfs/dockerfile/dockerfile_known.h"
#include "rootfs/dockerfile/dockerfile_plan.h"
#include "spec/egress_finish.h"
#include "spec/egress_proxy_flag.h"
#include "spec/policy.h"

#define LAYERS_KEPT 64

/* Everything that a build reads before it makes an image. */
struct inputs {
	struct dockerfile file;
	struct dockerfile_ignore ignore;
	struct dockerfile_arguments arguments;
	struct list references;
	struct dockerfile_context context;
};

static void dockerfile_build_fini(struct inputs *i)
{
	dockerfile_fini(&i->file);
	dockerfile_ignore_fini(&i->ignore);
	dockerfile_arguments_fini(&i->arguments);
	list_fini(&i->references);
	dockerfile_context_fini(&i->context);
}

/* -- what is read ---------------------------------------------------------------------------- */

static int dockerfile_build_read_file(const struct dockerfile_request *q, struct inputs *in,
				      struct err *e)
{
	const char *name = *q->file && strcmp(q->file, "-") != 0 ? q->file : "Dockerfile";
	auto_fd int fd = dockerfile_context_open_file(&in->context, q->context, q->file, e);
	auto_buf struct buf text = {0};

	if (fd < 0)
		return -1;
	return io_read_fd(fd, name, DOCKERFILE_BYTES_MAX, &text, e) ||
			       dockerfile_parse(buf_string(&text), text.length, &in->file, e)
		       ? err_prefix(e, "%.100s", name)
		       : 0;
}

static int dockerfile_build_read_ignore(struct inputs *in, struct err *e)
{
	const int context = in->context.fd;
	auto_fd int fd =
		context < 0 ? -1 : dockerfile_context_open_beneath(context, ".dockerignore");
	auto_buf struct buf text = {0};

	if (fd < 0)
		return context < 0 || errno == ENOENT ? 0 : err_sys(e, "open .dockerignore");
	return io_read_fd(fd, ".dockerignore", DOCKERFILE_IGNORE_MAX, &text, e) ||
			       dockerfile_ignore_parse(buf_string(&text), text.length, &in->ignore,
						       e)
		       ? -1
		       : 0;
}

/* "--build-arg NAME" takes the caller's variable, if set. */
static int dockerfile_build_read_arguments(const struct dockerfile_request *q, struct inputs *in,
					   struct err *e)
{
	for (size_t i = 0; i < q->given->count; i++) {
		const char *word = q->given->items[i];

		if (!*word || *word == '=')
			return err_input(e, "--build-arg %.60s: NAME=VALUE", word);
		if (strchr(word, '='))
			list_add(&in->arguments.given, word);
		else if (getenv(word))
			list_addf(&in->arguments.given, "%s=%s", word, getenv(word));
	}
	return 0;
}

/* Use the directory's name, if it is a valid image name. */
static int dockerfile_build_name_of_context(const struct dockerfile_request *q, struct inputs *in,
					    struct err *e)
{
	auto_free char *path = in->context.fd < 0 ? NULL : realpath(q->context, NULL);
	auto_free char *reference = NULL;
	char *name = path ? strrchr(path, '/') + 1 : NULL;

	for (char *p = name; p && *p; p++)
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
	if (!name || strchr(name, ':') || image_reference(name, &reference, e))
		return err_input(e, "the image needs a name: --tag NAME");
	list_add(&in->references, reference);
	return 0;
}

static int dockerfile_build_read_names(const struct dockerfile_request *q, struct inputs *in,
				       struct err *e)
{
	/* One of an archive may have no name: it is found by its id. */
	if (!q->tags->count && !in->context.is_archive &&
	    dockerfile_build_name_of_context(q, in, e))
		return -1;
	for (size_t i = 0; i < q->tags->count; i++) {
		auto_free char *reference = NULL;

		if (image_reference(q->tags->items[i], &reference, e))
			return -1;
		list_add(&in->references, reference);
	}
	for (size_t i = 0; i < in->references.count; i++) {
		if (!strncmp(in->references.items[i], "host:", 5))
			return err_input(
				e, "\"host\" is the built-in image: choose another name, --tag");
	}
	return 0;
}

static int dockerfile_build_read_network(const struct dockerfile_request *q, struct err *e)
{
	return policy_apply_to_spec(q->spec, e) || egress_finish(q->spec, e) ||
			       egress_proxy_finish(q->spec, e)
		       ? -1
		       : 0;
}

/* -- bases ----------------------------------------------------------------------------------- */

static int dockerfile_build_open_image(const char *name, struct image *out, struct err *e)
{
	auto_free char *reference = NULL;
	struct err missing = {0};

	if (image_reference(name, &reference, e))
		return -1;
	if (!image_open(reference, out, &missing))
		return 0;
	if (missing.kind != ERR_NOT_FOUND) {
		*e = missing;
		return -1;
	}
	progress_say("fetching %s", reference);
	return pull_image(reference, e) || image_open(reference, out, e) ? -1 : 0;
}

static int dockerfile_build_fetch_image(const char *name, struct image *out, struct err *e)
{
	auto_free char *reference = NULL;

	return image_reference(name, &reference, e) || pull_image(reference, e) ||
			       image_open(reference, out, e)
		       ? -1
		       : 0;
}

/* -- the image ------------------------------------------------------------------------------- */

/* Receive the stream of the last root as it comes. */
static int dockerfile_build_receive(struct dockerfile_room *room, const struct plan *plan,
				    struct work *work, struct err *e)
{
	auto_reader struct reader *r = NULL;
	struct err theirs = {0};
	struct chamber c;
	struct extract x;
	int status;

	progress_say("writing the image");
	if (dockerfile_room_export(room, plan->target, plan->stages[plan->target].root, &c, e))
		return -1;
	extract_init(&x, work->root_fd, EXTRACT_BYTES_DEFAULT);
	r = reader_open(c.out_fd, "the new root", e);
	status = r ? extract_archive(&x, r, EXTRACT_ALL, e) : -1;
	extract_report(&x);
	extract_fini(&x);
	if (chamber_finish(&c, status != 0, &theirs) && e->number != ENOSPC) {
		*e = theirs;
		return -1;
	}
	if (!status && mkdirat(work->root_fd, "dev", 0755) && errno != EEXIST)
		return err_sys(e, "make dev");
	return status;
}

/* Find an existing image of this build. 1: it has its names; 0: none exists; -1 with *e. */
static int dockerfile_build_find(const struct dockerfile_request *q, const struct store *store,
				 const char *key, const struct list *references, struct err *e)
{
	char id[DIGEST_HEX];
	uint64_t size_bytes = 0;
	int found =
		q->no_cache ? 0 : dockerfile_known_tag(store, key, references, id, &size_bytes, e);

	if (found > 0)
		image_announce(references, id, size_bytes);
	return found;
}

static int dockerfile_build_make(const struct dockerfile_request *q, const struct store *store,
				 struct plan *plan, const char *key, const struct list *references,
				 struct kept *layers, struct err *e)
{
	auto_work struct work work = {.fd = -1};
	struct meta *meta = &plan->stages[plan->target].state.meta;
	struct dockerfile_room room = {
		.limits = q->limits, .layers = {.fd = -1, .lock_fd = -1}
        };
	char share[PATH_MAX];
	char id[65];
	int status;

	if (share_find(share, e) || work_start(store, &work, e))
		return -1;
	status = dockerfile_room_open(share, layers, &room, e) ||
		 dockerfile_execute(plan, store, &room, e) ||
		 dockerfile_build_receive(&room, plan, &work, e);
	if (!status)
		kept_sweep(&room.layers, LAYERS_KEPT, "tar");
	else
		progress_say("removing what was made");
	dockerfile_room_close(&room);
	if (status)
		return -1;
	dockerfile_home_warn(meta, work.root_fd);
	progress_say("hashing");
	meta->build = own_strdup(key);
	if (image_finish(&work, meta, references, NULL, id, e))
		return -1;
	image_announce(references, id, meta->size_bytes);
	return 0;
}

/* Warn of a misspelt name, which otherwise would be no error. */
static void dockerfile_build_warn(const struct dockerfile_arguments *a)
{
	for (size_t i = 0; i < a->given.count; i++) {
		const char *word = a->given.items[i];
		auto_free char *name = own_strndup(word, strcspn(word, "="));
		auto_free char *text = own_printf("--build-arg %s: no ARG takes it", name);

		if (!list_has(&a->used, name))
			say_warning(text);
	}
}

static int dockerfile_build_with(const struct dockerfile_request *q, struct inputs *in,
				 const struct store *store, struct err *e)
{
	__attribute__((cleanup(kept_close))) struct kept layers = {.fd = -1, .lock_fd = -1};
	auto_plan struct plan plan = {0};
	uint64_t room = EXTRACT_BYTES_DEFAULT;
	char key[DIGEST_HEX];
	int found;
	const struct plan_request request = {
		.file = &in->file,
		.arguments = &in->arguments,
		.context_fd = in->context.fd,
		.ignore = &in->ignore,
		.store = store,
		.room = &room,
		.egress = egress_is_wanted(&q->spec->egress) ? &q->spec->egress : NULL,
		.ca = q->spec->ca,
		.target = q->target,
		.open_image = q->pull ? dockerfile_build_fetch_image : dockerfile_build_open_image};

	if (plan_make(&request, &plan, e))
		return err_prefix(e, "%.100s", *q->file ? q->file : "Dockerfile");
	dockerfile_build_warn(&in->arguments);
	dockerfile_known_key(&plan.stages[plan.target], key);
	found = dockerfile_build_find(q, store, key, &in->references, e);
	if (found)
		return found < 0 ? -1 : 0;
	if (!q->no_cache)
		kept_open(store, ".layers", ".layers.lock", &layers);
	return dockerfile_build_make(q, store, &plan, key, &in->references, &layers, e);
}

/*
 * Limit the size of files to that of an image, for a RUN and for ourselves: copying a sparse file
 * of 7 EiB would never end. Chambers inherit the limit; a write beyond it fails.
 */
static int dockerfile_build_limit_files(struct err *e)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_FSIZE, &files))
		return err_sys(e, "getrlimit");
	if (files.rlim_max > EXTRACT_BYTES_DEFAULT)
		files.rlim_max = EXTRACT_BYTES_DEFAULT;
	if (files.rlim_cur > files.rlim_max)
		files.rlim_cur = files.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &files) ? err_sys(e, "setrlimit") : 0;
}

int dockerfile_build(const struct dockerfile_request *q, struct err *e)
{
	auto_store struct store store = {.fd = -1, .tmp_fd = -1};
	__attribute__((cleanup(dockerfile_build_fini))) struct inputs in = {
		.context = dockerfile_context_none()};

	if (dockerfile_build_limit_files(e) ||
	    dockerfile_context_open(q->context, q->file, &store, &in.context, e) ||
	    dockerfile_build_read_file(q, &in, e) || dockerfile_build_read_ignore(&in, e) ||
	    dockerfile_build_read_arguments(q, &in, e) || dockerfile_build_read_names(q, &in, e) ||
	    dockerfile_build_read_network(q, e) || (store.fd < 0 && store_open(&store, e)))
		return -1;
	return dockerfile_build_with(q, &in, &store, e);
}
