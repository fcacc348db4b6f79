/*
 * presentation - the flags of a run that concern its presentation, not the sandbox.
 */
#include "cli/presentation.h"

#include <stdlib.h>

#include "base/own.h"
#include "flags/docker_settings.h"
#include "flags/setting_words.h"
#include "spec/run_settings.h"

#define AT(field) offsetof(struct presentation, field)
#define RUN       (FACE_RUN | FACE_CELL)

static int presentation_add_label(void *target, const char *value, struct err *e)
{
	struct string_list *labels = &((struct presentation *)target)->labels;

	if (!*value || *value == '=')
		return err_input(e, "\"%.100s\" has no label name", value);
	labels->items = own_resize(labels->items, labels->count + 1, sizeof(*labels->items));
	labels->items[labels->count++] = (char *)value;
	return 0;
}

/* clang-format off */
static const struct setting rows[] = {
	{"explain", 0, NULL, GROUP_CONFINEMENT, RUN, SETTING_FLAG, AT(explain), NULL, .help = "print what would be done, and do nothing"},
	{"json", 0, NULL, GROUP_RESULT, RUN, SETTING_FLAG, AT(json), NULL, .help = "print one JSON object instead of the program's output"},
	{"result-file", 0, "FILE", GROUP_RESULT, RUN, SETTING_WRITTEN, AT(result_file), NULL, .min = 1, .help = "write that object to a file, in addition to the normal output"},
	{"quiet", 'q', NULL, GROUP_RESULT, RUN, SETTING_FLAG, AT(quiet), NULL, .help = "no messages about limits on stderr"},
	{"label", 'l', "KEY[=VALUE]", GROUP_DOCKER, RUN, SETTING_OWN, 0, NULL, .parse = presentation_add_label, .repeated = true, .help = "recorded in the result"},
	{"cidfile", 0, "FILE", GROUP_DOCKER, RUN, SETTING_WRITTEN, AT(cidfile), NULL, .min = 1, .blank = true, .help = "write the sandbox's id; the file must not exist"},
	SETTING_END,
};
/* clang-format on */

void presentation_fini(struct presentation *show)
{
	free(show->labels.items);
	*show = (struct presentation){0};
}

struct settings presentation_settings(struct sandbox_spec *spec, struct presentation *show)
{
	return (struct settings){
		.face = FACE_RUN,
		.grammar = WORDS_BUNDLED,
		.keeper = spec,
		.tables = {run_settings_table(spec),
			   {rows, show, NULL},
			   {docker_settings, NULL, NULL}},
	};
}

int presentation_check(const struct presentation *show, const struct sandbox_spec *spec,
		       struct err *e)
{
	if (spec->tty && show->json)
		return err_input(e, "--json conflicts with -t: a terminal has one mixed stream");
	if (spec->stays && (show->json || show->result_file.text))
		return err_input(e,
				 "--detach conflicts with --json and --result-file: \"inspect "
				 "NAME\" prints the result");
	return 0;
}
