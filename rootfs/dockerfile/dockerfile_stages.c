/*
 * dockerfile_stages - find the stages of a Dockerfile, and those that a build needs.
 */
#include "dockerfile_stages.h"

#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "base/parse.h"
#include "spec/program_flags.h"

#define LETTERS        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define NAME_MAX_BYTES 100

struct plan_stage *dockerfile_stages_find(const struct plan *p, const char *name, size_t before)
{
	for (size_t i = before; i; i--) {
		struct plan_stage *s = &p->stages[i - 1];

		if (s->name && !strcasecmp(s->name, name))
			return s;
	}
	return NULL;
}

struct plan_stage *dockerfile_stages_find_source(const struct plan *p, const char *name,
						 size_t before)
{
	struct err ignored;
	int64_t number;

	if (before && !parse_int(name, 0, (int64_t)before - 1, &number, &ignored))
		return &p->stages[number];
	return dockerfile_stages_find(p, name, before);
}

static bool dockerfile_stages_is_name(const char *name)
{
	return strspn(name, LETTERS) && strlen(name) <= NAME_MAX_BYTES &&
	       !name[strspn(name, LETTERS "0123456789-_.")];
}

static int dockerfile_stages_check_platform(const struct dockerfile_words *words,
					    const struct instruction *i, struct err *e)
{
	const char *flag = instruction_flag(i, "platform");
	auto_buf struct buf platform = {0};

	if (!flag)
		return 0;
	if (dockerfile_expand(words, flag, &platform, e))
		return -1;
	return program_flag_platform(NULL, buf_string(&platform), e) ? err_prefix(e, "--platform")
								     : 0;
}

/* FROM IMAGE, or FROM IMAGE AS NAME. */
static int dockerfile_stages_add(const struct dockerfile_state *globals,
				 const struct instruction *i, struct plan *out, struct err *e)
{
	const struct dockerfile_words words = dockerfile_state_words(globals);
	auto_list struct list parts = {0};
	auto_buf struct buf base = {0};
	struct plan_stage *s;

	dockerfile_cut(i->text, &parts);
	if (parts.count != 1 && (parts.count != 3 || strcasecmp(parts.items[1], "AS") != 0))
		return err_input(e, "FROM IMAGE, or FROM IMAGE AS NAME");
	if (parts.count == 3 && !dockerfile_stages_is_name(parts.items[2]))
		return err_input(e, "\"%.60s\" cannot be the name of a stage", parts.items[2]);
	if (out->stage_count == DOCKERFILE_STAGES_MAX)
		return err_input(e, "more than %d stages", DOCKERFILE_STAGES_MAX);
	if (dockerfile_stages_check_platform(&words, i, e) ||
	    dockerfile_expand(&words, parts.items[0], &base, e))
		return -1;
	if (!base.length)
		return err_input(e, "%.60s is empty", parts.items[0]);
	out->stages = own_grow(out->stages, out->stage_count, sizeof(*out->stages));
	s = &out->stages[out->stage_count++];
	*s = (struct plan_stage){.at = i, .base = own_strdup(buf_string(&base))};
	s->name = parts.count == 3 ? own_strdup(parts.items[2]) : NULL;
	return 0;
}

static int dockerfile_stages_read(const struct plan_request *q, struct dockerfile_state *globals,
				  struct plan *out, struct err *e)
{
	for (size_t n = 0; n < q->file->count; n++) {
		const struct instruction *i = &q->file->items[n];
		int status = 0;

		if (i->kind == INSTRUCTION_FROM)
			status = dockerfile_stages_add(globals, i, out, e);
		else if (!out->stage_count && i->kind == INSTRUCTION_ARG)
			status = dockerfile_state_global(globals, i, e);
		else if (!out->stage_count)
			status = err_input(e, "FROM comes first");
		if (status)
			return instruction_error(i, e);
	}
	return out->stage_count ? 0 : err_input(e, "it has no FROM");
}

/* A stage needs its base stage, and those that it copies from; both precede it. */
static void dockerfile_stages_mark(const struct plan_request *q, struct plan *p)
{
	const struct instruction *end = q->file->items + q->file->count;

	p->stages[p->target].needed = true;
	for (size_t n = p->target + 1; n; n--) {
		struct plan_stage *s = &p->stages[n - 1];
		struct plan_stage *other = dockerfile_stages_find(p, s->base, n - 1);

		if (s->needed && other)
			other->needed = true;
		for (const struct instruction *i = s->at + 1;
		     s->needed && i < end && i->kind != INSTRUCTION_FROM; i++) {
			const char *from = instruction_flag(i, "from");

			other = from ? dockerfile_stages_find_source(p, from, n - 1) : NULL;
			if (other)
				other->needed = true;
		}
	}
}

int dockerfile_stages_find_all(const struct plan_request *q, struct plan *out, struct err *e)
{
	struct dockerfile_state globals;
	struct plan_stage *target;
	int status;

	dockerfile_state_init(&globals, q->file->escape, q->arguments);
	status = dockerfile_stages_read(q, &globals, out, e);
	dockerfile_state_fini(&globals);
	if (status)
		return -1;
	out->target = out->stage_count - 1;
	target = q->target ? dockerfile_stages_find_source(out, q->target, out->stage_count) : NULL;
	if (q->target && !target)
		return err_input(e, "--target: the file has no stage \"%.60s\"", q->target);
	if (target)
		out->target = (size_t)(target - out->stages);
	dockerfile_stages_mark(q, out);
	return 0;
}
