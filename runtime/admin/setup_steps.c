/*
 * setup_steps - a list of the steps of `glovebox setup`: to store, print and perform.
 */
#include "admin/setup_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/say.h"
#include "host/system_program.h"

struct setup_step *setup_steps_add(struct setup_steps *steps, enum setup_kind kind, char *text)
{
	steps->items = own_grow(steps->items, steps->count, sizeof(*steps->items));
	steps->items[steps->count] = (struct setup_step){.kind = kind};
	steps->items[steps->count].text = text;
	return &steps->items[steps->count++];
}

struct setup_step *setup_steps_command(struct setup_steps *steps, enum setup_kind kind,
				       const char *const *words)
{
	struct setup_step *step = setup_steps_add(steps, kind, NULL);

	for (; *words; words++)
		list_add(&step->words, *words);
	return step;
}

int setup_steps_check(const struct setup_steps *steps, int root_fd, struct err *e)
{
	for (size_t i = 0; i < steps->count; i++) {
		const struct setup_step *step = &steps->items[i];

		if (step->kind == SETUP_RUN && !step->optional &&
		    !system_program_exists(root_fd, step->words.items[0]))
			return err_set(e, ERR_UNSUPPORTED,
				       "%s is not in " SYSTEM_PROGRAM_PATH
				       ": install it, or link it there",
				       step->words.items[0]);
	}
	return 0;
}

int setup_steps_carry_out(const struct setup_steps *steps, setup_act act, void *context,
			  struct err *e)
{
	for (size_t i = 0; i < steps->count; i++) {
		if (!act(&steps->items[i], context, e))
			continue;
		if (!steps->items[i].optional)
			return -1;
		say_error(e);
	}
	return 0;
}

void setup_steps_fini(struct setup_steps *steps)
{
	for (size_t i = 0; i < steps->count; i++) {
		free(steps->items[i].text);
		free(steps->items[i].content);
		list_fini(&steps->items[i].words);
	}
	free(steps->items);
	*steps = (struct setup_steps){0};
}

static void setup_steps_print_content(const char *content, struct buf *out)
{
	for (const char *line = content; *line;) {
		int length = (int)strcspn(line, "\n");

		buf_printf(out, "            %.*s\n", length, line);
		line += length + (line[length] == '\n');
	}
}

void setup_steps_print(const struct setup_steps *steps, struct buf *out)
{
	static const char *const verbs[] = {"write", "remove", "run", "later", "undo", "note"};

	for (size_t i = 0; i < steps->count; i++) {
		const struct setup_step *step = &steps->items[i];

		buf_printf(out, "    %-7s", verbs[step->kind]);
		if (step->text)
			buf_printf(out, " %s", step->text);
		for (size_t j = 0; j < step->words.count; j++)
			buf_printf(out, " %s", step->words.items[j]);
		buf_text(out, "\n");
		if (step->content)
			setup_steps_print_content(step->content, out);
	}
}
