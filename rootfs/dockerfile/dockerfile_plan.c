/*
 * dockerfile_plan - plan the steps of a Dockerfile: what to copy and run in which stage, under
 * which key.
 */
#include "dockerfile_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "dockerfile_key.h"
#include "dockerfile_sources.h"
#include "dockerfile_stages.h"

static void dockerfile_plan_free(struct plan_step *s)
{
	own_close(&s->copy.archive);
	list_fini(&s->copy.sources);
	free(s->copy.to);
	free(s->copy.owner);
	list_fini(&s->run.argv);
	list_fini(&s->run.env);
	list_fini(&s->run.empty);
	free(s->run.user);
	free(s->run.workdir);
	list_fini(&s->directories);
	free(s);
}

static void dockerfile_plan_fini_stage(struct plan_stage *s)
{
	if (s->has_image)
		image_close(&s->image);
	dockerfile_state_fini(&s->state);
	list_fini(&s->pending);
	free(s->name);
	free(s->base);
	free(s->steps);
}

void plan_fini(struct plan *p)
{
	for (size_t i = 0; i < p->stage_count; i++)
		dockerfile_plan_fini_stage(&p->stages[i]);
	for (size_t i = 0; i < p->step_count; i++)
		dockerfile_plan_free(p->steps[i]);
	free(p->stages);
	free(p->steps);
	*p = (struct plan){0};
}

/* Add a step at the end of a stage, with the directories that wait for one. */
static struct plan_step *dockerfile_plan_add(struct plan *p, struct plan_stage *s,
					     const struct instruction *at, enum plan_kind kind)
{
	struct plan_step *step = own_zeroed(1, sizeof(*step));

	*step = (struct plan_step){.kind = kind, .at = at, .copy = {.archive = -1}};
	step->directories = s->pending;
	s->pending = (struct list){0};
	p->steps = own_grow(p->steps, p->step_count, sizeof(struct plan_step *));
	p->steps[p->step_count++] = step;
	s->steps = own_grow(s->steps, s->step_count, sizeof(struct plan_step *));
	s->steps[s->step_count++] = step;
	return step;
}

static void dockerfile_plan_end_key(struct plan_stage *s, struct plan_step *step, struct digest *d)
{
	dockerfile_key_list(d, &step->directories);
	digest_end(d, step->key);
	memcpy(s->key, step->key, sizeof(s->key));
}

/* -- RUN ------------------------------------------------------------------------------------- */

/* --mount=type=cache,target=/x and type=tmpfs: an empty directory for this step only. */
static int dockerfile_plan_mount(const struct plan_stage *s, const char *flag, struct list *out,
				 struct err *e)
{
	static const char *const targets[] = {"target=", "dst=", "destination="};
	static const char *const moot[] = {"type=cache", "type=tmpfs", "id=", "sharing=", "size="};
	const struct dockerfile_words words = dockerfile_state_words(&s->state);
	auto_free char *copy = own_strdup(flag);
	auto_buf struct buf target = {0};
	bool known = false;
	char *path;

	for (char *save = NULL, *word = strtok_r(copy, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		bool found = false;

		known |= !strcmp(word, moot[0]) || !strcmp(word, moot[1]);
		for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
			size_t length = strlen(targets[i]);

			if (strncmp(word, targets[i], length) != 0)
				continue;
			found = true;
			if (dockerfile_expand(&words, word + length, &target, e))
				return -1;
		}
		for (size_t i = 0; i < sizeof(moot) / sizeof(moot[0]); i++)
			found |= !strncmp(word, moot[i], strlen(moot[i]));
		if (!found)
			return err_set(e, ERR_UNSUPPORTED, "--mount: %.60s is not understood here",
				       word);
	}
	if (!known || !target.length)
		return err_set(e, ERR_UNSUPPORTED,
			       "--mount=%.60s: type=cache or type=tmpfs with a target is "
			       "understood here",
			       flag);
	path = dockerfile_state_path(&s->state, buf_string(&target));
	if (path)
		list_add(out, path);
	free(path);
	return path ? 0 : err_input(e, "--mount: the target is too long");
}

static int dockerfile_plan_run_flags(const struct plan_request *q, const struct plan_stage *s,
				     const struct instruction *i, struct plan_run *run,
				     struct err *e)
{
	const char *network = instruction_flag(i, "network");

	if (network && strcmp(network, "none") != 0 && strcmp(network, "default") != 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "--network=%.60s is not understood; --egress LIST of the build says "
			       "what it may reach",
			       network);
	run->egress = network && !strcmp(network, "none") ? NULL : q->egress;
	run->ca = q->ca;
	for (size_t n = 0; n < i->flags.count; n++) {
		if (!strncmp(i->flags.items[n], "mount", 5) &&
		    dockerfile_plan_mount(s, i->flags.items[n] + 5 + (i->flags.items[n][5] == '='),
					  &run->empty, e))
			return -1;
	}
	return 0;
}

static int dockerfile_plan_run(const struct plan_request *q, struct plan *p, struct plan_stage *s,
			       const struct instruction *i, struct err *e)
{
	struct plan_step *step = dockerfile_plan_add(p, s, i, PLAN_RUN);
	auto_buf struct buf egress = {0};
	struct digest *d;

	if (dockerfile_plan_run_flags(q, s, i, &step->run, e))
		return -1;
	dockerfile_state_command(&s->state, i, &step->run.argv);
	if (dockerfile_state_environment(&s->state, &step->run.env, e))
		return -1;
	step->run.user = own_strdup(s->state.meta.user);
	step->run.workdir = own_strdup(*s->state.meta.workdir ? s->state.meta.workdir : "/");
	d = dockerfile_key_begin(s->key, "run");
	dockerfile_key_list(d, &step->run.argv);
	dockerfile_key_list(d, &step->run.env);
	dockerfile_key_list(d, &step->run.empty);
	dockerfile_key_text(d, step->run.user);
	dockerfile_key_text(d, step->run.workdir);
	if (step->run.egress)
		egress_to_json(step->run.egress, &egress);
	dockerfile_key_text(d, step->run.egress ? buf_string(&egress) : NULL);
	dockerfile_key_text(d, step->run.ca);
	dockerfile_plan_end_key(s, step, d);
	return 0;
}

/* -- COPY and ADD ---------------------------------------------------------------------------- */

static int dockerfile_plan_copy(const struct plan_request *q, struct plan *p, struct plan_stage *s,
				const struct instruction *i, struct err *e)
{
	struct plan_step *step = dockerfile_plan_add(p, s, i, PLAN_COPY);
	const struct plan_copy *copy = &step->copy;
	char content[DIGEST_HEX];
	auto_free char *mode = NULL;
	struct digest *d;

	if (dockerfile_sources_read(q, p, s, i, &step->copy, content, e))
		return -1;
	mode = copy->has_mode ? own_printf("%o", (unsigned)copy->mode) : NULL;
	d = dockerfile_key_begin(s->key, copy->is_archive ? "add" : "copy");
	dockerfile_key_text(d, content);
	dockerfile_key_list(d, &copy->sources);
	dockerfile_key_text(d, copy->to);
	dockerfile_key_text(d, copy->is_directory ? "/" : "");
	dockerfile_key_text(d, copy->owner);
	dockerfile_key_text(d, mode);
	dockerfile_plan_end_key(s, step, d);
	return 0;
}

/* -- stages ---------------------------------------------------------------------------------- */

static int dockerfile_plan_instruction(const struct plan_request *q, struct plan *p,
				       struct plan_stage *s, const struct instruction *i,
				       struct err *e)
{
	if (i->kind == INSTRUCTION_RUN)
		return dockerfile_plan_run(q, p, s, i, e);
	if (i->kind == INSTRUCTION_COPY || i->kind == INSTRUCTION_ADD)
		return dockerfile_plan_copy(q, p, s, i, e);
	if (dockerfile_state_apply(&s->state, i, e))
		return -1;
	if (i->kind == INSTRUCTION_WORKDIR)
		list_add(&s->pending, s->state.meta.workdir);
	return 0;
}

/* A stage based on another one continues its steps. */
static void dockerfile_plan_continue(struct plan_stage *s, const struct plan_stage *base)
{
	dockerfile_state_inherit(&s->state, &base->state);
	s->root = base->root;
	for (size_t i = 0; i < base->step_count; i++) {
		s->steps = own_grow(s->steps, s->step_count, sizeof(struct plan_step *));
		s->steps[s->step_count++] = base->steps[i];
	}
	memcpy(s->key, base->key, sizeof(s->key));
}

static int dockerfile_plan_open_base(const struct plan_request *q, struct plan_stage *s,
				     struct err *e)
{
	struct dockerfile_state base = {0};

	if (q->open_image(s->base, &s->image, e))
		return -1;
	s->has_image = true;
	s->root = &s->image;
	if (s->image.is_host)
		return err_input(e,
				 "the image host is this machine's own /usr, not a root of its "
				 "own: build slim, or python");
	if (meta_read_identity(&base.meta, s->image.document, e)) {
		meta_fini(&base.meta);
		return err_prefix(e, "%.100s", s->base);
	}
	/* A recipe's user is a default for runs, like the user of an image that names none. */
	if (s->image.is_vouched)
		own_free(&base.meta.user);
	dockerfile_state_inherit(&s->state, &base);
	meta_fini(&base.meta);
	return 0;
}

static int dockerfile_plan_begin(const struct plan_request *q, struct plan *p, struct plan_stage *s,
				 struct err *e)
{
	struct plan_stage *base = dockerfile_stages_find(p, s->base, (size_t)(s - p->stages));
	struct digest *d;

	dockerfile_state_init(&s->state, q->file->escape, q->arguments);
	if (base) {
		dockerfile_plan_continue(s, base);
		return 0;
	}
	if (strcmp(s->base, "scratch") != 0 && dockerfile_plan_open_base(q, s, e))
		return instruction_error(s->at, e);
	d = dockerfile_key_begin(s->has_image ? s->image.config.id : NULL, "base");
	digest_end(d, s->key);
	return 0;
}

/* Plan the instructions of a stage, up to the next FROM. */
static int dockerfile_plan_stage(const struct plan_request *q, struct plan *p, struct plan_stage *s,
				 struct err *e)
{
	const struct instruction *end = q->file->items + q->file->count;
	const struct instruction *workdir = NULL;
	struct digest *d;

	if (dockerfile_plan_begin(q, p, s, e))
		return -1;
	for (const struct instruction *i = s->at + 1; i < end && i->kind != INSTRUCTION_FROM; i++) {
		if (dockerfile_plan_instruction(q, p, s, i, e))
			return instruction_error(i, e);
		workdir = i->kind == INSTRUCTION_WORKDIR ? i : workdir;
	}
	if (s->pending.count) {
		struct plan_step *step = dockerfile_plan_add(p, s, workdir, PLAN_DIRECTORY);

		d = dockerfile_key_begin(s->key, "directory");
		dockerfile_plan_end_key(s, step, d);
	}
	return 0;
}

int plan_make(const struct plan_request *q, struct plan *out, struct err *e)
{
	*out = (struct plan){0};
	if (dockerfile_stages_find_all(q, out, e))
		return -1;
	for (size_t i = 0; i <= out->target; i++) {
		if (out->stages[i].needed && dockerfile_plan_stage(q, out, &out->stages[i], e))
			return -1;
	}
	return 0;
}
