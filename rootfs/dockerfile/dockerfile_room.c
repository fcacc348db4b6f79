/*
 * dockerfile_room - the roots of a build's stages, in a scratch directory, and the actions on them.
 */
#include "dockerfile_room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "dockerfile_tasks.h"
#include "rootfs/archive/interrupt.h"
#include "rootfs/archive/pack.h"
#include "rootfs/chamber/rootless.h"

#define TOOLS "PATH=/usr/sbin:/usr/bin:/sbin:/bin"

int dockerfile_room_open(const char *share, struct kept *layers, struct dockerfile_room *out,
			 struct err *e)
{
	*out = (struct dockerfile_room){.share = share, .layers = *layers, .limits = out->limits};
	*layers = (struct kept){.fd = -1, .lock_fd = -1};
	if (geteuid() != 0 && rootless_check(e))
		return -1;
	return subids_choose(&out->ids, e) || scratch_make(&out->scratch, &out->ids, e) ? -1 : 0;
}

void dockerfile_room_close(struct dockerfile_room *r)
{
	scratch_remove(&r->scratch, &r->ids);
	kept_close(&r->layers);
}

static void dockerfile_room_fini_step(struct chamber_step *step)
{
	list_fini(&step->argv);
	list_fini(&step->env);
}

/* -- tasks: our own code in the chamber ------------------------------------------------------ */

static int dockerfile_room_start_task(const struct dockerfile_room *r,
				      const struct chamber_step *step, struct chamber *out,
				      struct err *e)
{
	const struct chamber_inputs inputs = {.build = r->scratch.build};
	struct chamber_step whole = *step;

	whole.ids = &r->ids;
	whole.inputs = &inputs;
	return chamber_start(&whole, out, e);
}

static int dockerfile_room_do_task(const struct dockerfile_room *r, const struct chamber_step *step,
				   struct err *e)
{
	struct chamber c;

	return dockerfile_room_start_task(r, step, &c, e) || chamber_finish(&c, false, e) ? -1 : 0;
}

static char *dockerfile_room_root(size_t stage)
{
	return own_printf("%s/%zu/root", CHAMBER_BUILD, stage);
}

static int dockerfile_room_sink(void *context, const void *bytes, size_t length)
{
	return io_write_all(*(const int *)context, bytes, length);
}

/* Only the owner may read the tree, and we read it with our rights: so pass it through a pipe. */
static int dockerfile_room_pack_base(const struct image *image, int fd, struct err *e)
{
	auto_writer struct writer *w = writer_open(WRITER_PLAIN, dockerfile_room_sink, &fd, e);
	const struct packing packing = {.out = w};
	auto_fd int root = -1;

	if (!w)
		return -1;
	if (!image)
		return writer_finish(w, e);
	root = openat(image->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return err_sys(e, "open %s", image->root_path);
	return pack_tree(&packing, root, e) || writer_finish(w, e) ? -1 : 0;
}

static int dockerfile_room_unpack_base(struct dockerfile_room *r, size_t stage,
				       const struct image *image, struct err *e)
{
	auto_free char *root = dockerfile_room_root(stage);
	const struct dockerfile_task task = {.root = root};
	struct chamber_step step = {
		.name = "base", .task = dockerfile_task_unpack, .context = &task};
	struct err theirs = {0};
	struct chamber c;
	auto_fd int from = -1;
	auto_fd int to = -1;
	int ends[2];
	int status;

	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "pipe");
	from = ends[0];
	to = ends[1];
	step.input = &from;
	if (dockerfile_room_start_task(r, &step, &c, e))
		return -1;
	own_close(&from);
	status = dockerfile_room_pack_base(image, to, e);
	own_close(&to);
	/* If both failed, a pipe without a reader is only a symptom. */
	if (chamber_finish(&c, status != 0, &theirs)) {
		*e = theirs;
		return -1;
	}
	return status;
}

int dockerfile_room_unpack(struct dockerfile_room *r, size_t stage, const struct plan_step *step,
			   int archive, struct err *e)
{
	auto_free char *root = dockerfile_room_root(stage);
	const struct dockerfile_task task = {.root = root, .step = step};
	struct chamber_step chamber = {.name = step->at->name,
				       .task = dockerfile_task_unpack,
				       .context = &task,
				       .input = archive < 0 ? NULL : &archive};

	if (archive >= 0 && lseek(archive, 0, SEEK_SET))
		return err_sys(e, "read what is copied");
	return dockerfile_room_do_task(r, &chamber, e);
}

/* Without a reader the program ends. */
static int dockerfile_room_receive(int from, int to, struct err *e)
{
	auto_free char *bytes = own_zeroed(1, 1u << 16);
	ssize_t n;

	while ((n = read(from, bytes, 1u << 16)) != 0) {
		if (interrupt_check(e))
			return -1;
		if (n < 0 && errno != EINTR)
			return err_sys(e, "read what is copied");
		if (n > 0 && io_write_all(to, bytes, (size_t)n))
			return err_sys(e, "write what is copied");
	}
	return 0;
}

int dockerfile_room_take(struct dockerfile_room *r, size_t from, const struct plan_step *step,
			 int archive, struct err *e)
{
	auto_free char *root = dockerfile_room_root(from);
	const struct dockerfile_task task = {.root = root, .step = step};
	struct chamber_step chamber = {.name = step->at->name,
				       .task = dockerfile_task_take,
				       .context = &task,
				       .piped = true};
	struct err theirs = {0};
	struct chamber c;
	int status;

	if (dockerfile_room_start_task(r, &chamber, &c, e))
		return -1;
	status = dockerfile_room_receive(c.out_fd, archive, e);
	if (chamber_finish(&c, status != 0, &theirs) && !status) {
		*e = theirs;
		return -1;
	}
	return status;
}

int dockerfile_room_run(struct dockerfile_room *r, size_t stage, const struct plan_step *step,
			struct err *e)
{
	auto_free char *root = dockerfile_room_root(stage);
	const struct dockerfile_task task = {.root = root, .step = step};
	struct chamber_step chamber = {.name = "RUN",
				       .task = dockerfile_task_run,
				       .context = &task,
				       .egress = step->run.egress,
				       .limits = r->limits};

	return dockerfile_room_do_task(r, &chamber, e);
}

/* -- hooks/dockerfile.sh: programs of the host ----------------------------------------------- */

struct hook {
	const char *what;
	int input; /* its standard input; -1: empty; borrowed */
	bool piped;
	bool of_recipe; /* a recipe made the root's base */
};

static bool dockerfile_room_is_ours(const struct image *image)
{
	return image && image->is_vouched;
}

static int dockerfile_room_start_hook(const struct dockerfile_room *r, const struct hook *hook,
				      size_t stage, struct chamber *out, struct err *e)
{
	struct chamber_inputs inputs = {.build = r->scratch.build};
	struct chamber_step step = {.name = hook->what,
				    .ids = &r->ids,
				    .inputs = &inputs,
				    .input = hook->input < 0 ? NULL : &hook->input,
				    .piped = hook->piped};
	int status;

	list_add(&step.argv, "sh");
	list_add(&step.argv, CHAMBER_INPUTS "/dockerfile.sh");
	list_add(&step.argv, hook->what);
	list_addf(&step.argv, "%s/%zu", CHAMBER_BUILD, stage);
	if (hook->of_recipe)
		list_add(&step.argv, "recipe");
	list_add(&step.env, TOOLS);
	list_addf(&inputs.directories, "%s/hooks", r->share);
	list_add(&inputs.names, "");
	status = chamber_start(&step, out, e);
	dockerfile_room_fini_step(&step);
	list_fini(&inputs.directories);
	list_fini(&inputs.names);
	return status;
}

static int dockerfile_room_do_hook(const struct dockerfile_room *r, const char *what, size_t stage,
				   int input, struct err *e)
{
	const struct hook hook = {.what = what, .input = input};
	struct chamber c;

	return dockerfile_room_start_hook(r, &hook, stage, &c, e) || chamber_finish(&c, false, e)
		       ? -1
		       : 0;
}

int dockerfile_room_begin(struct dockerfile_room *r, size_t stage, const struct image *image,
			  struct err *e)
{
	if (dockerfile_room_unpack_base(r, stage, image, e))
		return -1;
	return dockerfile_room_is_ours(image) ? dockerfile_room_do_hook(r, "base", stage, -1, e)
					      : 0;
}

int dockerfile_room_note(struct dockerfile_room *r, size_t stage, struct err *e)
{
	return r->layers.path ? dockerfile_room_do_hook(r, "note", stage, -1, e) : 0;
}

int dockerfile_room_apply(struct dockerfile_room *r, size_t stage, const struct plan_step *step,
			  struct err *e)
{
	auto_fd int layer = kept_open_file(&r->layers, step->key, "tar");

	return layer < 0 ? err_sys(e, "open what an earlier build has kept")
			 : dockerfile_room_do_hook(r, "apply", stage, layer, e);
}

/*
 * Failing to keep a result costs the next build time; an interruption ends this one. If another
 * build has kept another result under the key meanwhile, keep nothing made on top of ours.
 */
int dockerfile_room_keep(struct dockerfile_room *r, size_t stage, const struct plan_step *step,
			 struct err *e)
{
	const struct hook hook = {.what = "save", .input = -1, .piped = true};
	auto_fd int archive = -1;
	struct chamber c;

	if (!r->layers.path)
		return 0;
	if (dockerfile_room_start_hook(r, &hook, stage, &c, e))
		return -1;
	archive = kept_receive(&r->layers, c.out_fd);
	if (chamber_finish(&c, archive < 0, e))
		return -1;
	if (archive < 0 || kept_name(&r->layers, archive, step->key, "tar") <= 0)
		own_free(&r->layers.path);
	return interrupt_check(e);
}

int dockerfile_room_export(struct dockerfile_room *r, size_t stage, const struct image *image,
			   struct chamber *out, struct err *e)
{
	const struct hook hook = {.what = "export",
				  .input = -1,
				  .piped = true,
				  .of_recipe = dockerfile_room_is_ours(image)};

	return dockerfile_room_start_hook(r, &hook, stage, out, e);
}
