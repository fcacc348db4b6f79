/*
 * plan_image - copy a plan with everything that it points to into a memfd.
 *
 * The same code runs twice: it first counts, then writes to the mapping.
 */
#include "sandbox/plan_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/own.h"
#include "inside/cell.h"
#include "inside/plan_map.h"

#define ALIGNMENT 16

struct writer {
	char *base; /* NULL: counting only */
	size_t used;
};

/* Copy bytes, and return the address of the copy on either side. */
static void *plan_image_put_bytes(struct writer *w, const void *bytes, size_t size)
{
	size_t at = w->used;

	if (w->base && size)
		memcpy(w->base + at, bytes, size);
	w->used = at + size;
	return (void *)(CELL_PLAN_ADDRESS + at);
}

static void *plan_image_put(struct writer *w, const void *bytes, size_t size)
{
	w->used = (w->used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return plan_image_put_bytes(w, bytes, size);
}

static char *plan_image_put_text(struct writer *w, const char *text)
{
	return text ? plan_image_put(w, text, strlen(text) + 1) : NULL;
}

static char *const *plan_image_put_list(struct writer *w, char *const *list)
{
	auto_free char **copy = NULL;
	size_t count = 0;

	while (list[count])
		count++;
	copy = own_zeroed(count + 1, sizeof(*copy));
	/* Without gaps, as the kernel lays them out for execve: ps(1) reads them as one range. */
	for (size_t i = 0; i < count; i++)
		copy[i] = plan_image_put_bytes(w, list[i], strlen(list[i]) + 1);
	return plan_image_put(w, copy, (count + 1) * sizeof(*copy));
}

static const struct root_op *plan_image_put_ops(struct writer *w, const struct inside_plan *plan,
						int *trees, unsigned max_trees,
						unsigned *tree_count)
{
	auto_free struct root_op *copy = own_zeroed(plan->op_count + 1, sizeof(*copy));
	unsigned count = 0;

	for (size_t i = 0; i < plan->op_count; i++) {
		copy[i] = plan->ops[i];
		/* Include the leading slash, which Landlock uses: see root_plan. */
		copy[i].path = plan_image_put_text(w, plan->ops[i].path - 1) + 1;
		copy[i].source = plan_image_put_text(w, plan->ops[i].source);
		copy[i].bytes = plan_image_put(w, plan->ops[i].bytes, plan->ops[i].length);
		if (plan->ops[i].tree_fd < 0)
			continue;
		if (count < max_trees)
			trees[count] = plan->ops[i].tree_fd;
		copy[i].tree_fd = (int)count++;
	}
	*tree_count = count;
	return plan_image_put(w, copy, plan->op_count * sizeof(*copy));
}

static void plan_image_put_plan(struct writer *w, const struct inside_plan *plan, int *trees,
				unsigned max_trees, unsigned *tree_count)
{
	struct inside_plan copy = *plan;

	copy.layout = plan_image_number();
	w->used = 0;
	plan_image_put(w, &copy, sizeof(copy)); /* first: readers expect it at the beginning */
	copy.hostname = plan_image_put_text(w, plan->hostname);
	copy.ops = plan_image_put_ops(w, plan, trees, max_trees, tree_count);
	copy.workdir = plan_image_put_text(w, plan->workdir);
	copy.argv = plan_image_put_list(w, plan->argv);
	copy.envp = plan_image_put_list(w, plan->envp);
	copy.search_path = plan_image_put_text(w, plan->search_path);
	copy.egress_ports = plan_image_put(w, plan->egress_ports,
					   plan->egress_port_count * sizeof(*plan->egress_ports));
	copy.rlimits = plan_image_put(w, plan->rlimits, RLIM_NLIMITS * sizeof(*plan->rlimits));
	copy.rlimits_set =
		plan_image_put(w, plan->rlimits_set, RLIM_NLIMITS * sizeof(*plan->rlimits_set));
	copy.filter.filter = plan_image_put(w, plan->filter.filter,
					    plan->filter.len * sizeof(*plan->filter.filter));
	if (!plan->filter.filter)
		copy.filter.filter = NULL;
	copy.omit = plan_image_put_text(w, plan->omit);
	if (w->base)
		memcpy(w->base, &copy, sizeof(copy));
}

uint32_t plan_image_number(void)
{
	return CELL_VERSION << 24 | sizeof(struct order) << 12 | sizeof(struct inside_plan);
}

const char *plan_image_layout(void)
{
	static char text[48];

	snprintf(text, sizeof(text), "%d.%zu.%zu", CELL_VERSION, sizeof(struct inside_plan),
		 sizeof(struct order));
	return text;
}

int plan_image_make(const struct inside_plan *plan, int *out_fd, uint64_t *out_bytes, int *trees,
		    unsigned max_trees, unsigned *tree_count, struct err *e)
{
	auto_fd int fd = memfd_create("glovebox-plan", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct writer w = {0};

	plan_image_put_plan(&w, plan, trees, max_trees, tree_count);
	if (*tree_count > max_trees)
		return err_set(e, ERR_UNSUPPORTED, "too many mounts for a warm start");
	if (fd < 0 || ftruncate(fd, (off_t)w.used))
		return err_sys(e, "make a file for the plan");
	w.base = mmap(NULL, w.used, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (w.base == MAP_FAILED)
		return err_sys(e, "map the file of the plan");
	*out_bytes = w.used;
	plan_image_put_plan(&w, plan, trees, max_trees, tree_count);
	munmap(w.base, *out_bytes);
	*out_fd = take_fd(&fd);
	return 0;
}
