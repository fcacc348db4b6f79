/*
 * setup_steps - what `glovebox setup` does, as a list: kept, printed, carried out.
 */
#include "cli/setup_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/say.h"

struct setup_step *setup_steps_add(struct setup_steps *p, enum setup_kind kind, char *text)
{
	p->items = own_grow(p->items, p->count, sizeof(*p->items));
	p->items[p->count] = (struct setup_step){.kind = kind};
	p->items[p->count].text = text;
	return &p->items[p->count++];
}

struct setup_step *setup_steps_command(struct setup_steps *p, enum setup_kind kind,
				       const char *const *words)
{
	struct setup_step *step = setup_steps_add(p, kind, NULL);

	for (; *words; words++)
		list_add(&step->words, *words);
	return step;
}

static void setup_steps_take_back(const struct setup_step *record, setup_act act, void *context)
{
	const struct setup_step back = {.kind = SETUP_RUN, .words = record->words};
	struct err e;

	if (act(&back, context, &e))
		say_error(&e);
}

int setup_steps_carry_out(const struct setup_steps *p, setup_act act, void *context, struct err *e)
{
	bool done = true;

	for (size_t i = 0; i < p->count; i++) {
		const struct setup_step *step = &p->items[i];

		if (step->follows && !done)
			continue;
		done = !act(step, context, e);
		if (done)
			continue;
		if (step->kind == SETUP_RECORD)
			setup_steps_take_back(step, act, context);
		if (!step->optional)
			return -1;
		say_error(e);
	}
	return 0;
}

void setup_steps_fini(struct setup_steps *p)
{
	for (size_t i = 0; i < p->count; i++) {
		free(p->items[i].text);
		free(p->items[i].content);
		list_fini(&p->items[i].words);
	}
	free(p->items);
	*p = (struct setup_steps){0};
}

static void setup_steps_print_content(const char *content, struct buf *out)
{
	for (const char *line = content; *line;) {
		int length = (int)strcspn(line, "\n");

		buf_printf(out, "            %.*s\n", length, line);
		line += length + (line[length] == '\n');
	}
}

void setup_steps_print(const struct setup_steps *p, struct buf *out)
{
	static const char *const verbs[] = {"write", "record", "remove", "run", "later", "note"};

	for (size_t i = 0; i < p->count; i++) {
		const struct setup_step *step = &p->items[i];

		const bool is_command = step->kind == SETUP_RUN || step->kind == SETUP_LATER;

		buf_printf(out, "    %-7s", verbs[step->kind]);
		if (!is_command)
			buf_printf(out, " %s", step->text);
		for (size_t j = 0; j < step->words.count && is_command; j++)
			buf_printf(out, " %s", step->words.items[j]);
		buf_text(out, "\n");
		if (step->content)
			setup_steps_print_content(step->content, out);
	}
}
