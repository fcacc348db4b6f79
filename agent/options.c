/*
 * options - what can be set about the agent: defaults, file, environment, command line.
 */
#include "agent/options.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "spec/setting_sources.h"
#include "spec/setting_words.h"

#define FILE_BYTES 65536
#define PREFIX     "GLOVEBOX_AGENT_"

/* ~/.config/glovebox/agent.json, or what XDG_CONFIG_HOME says; false without a home. */
static bool options_file_path(char *out, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	int n;

	if (config && *config)
		n = snprintf(out, size, "%s/glovebox/agent.json", config);
	else if (home && *home)
		n = snprintf(out, size, "%s/.config/glovebox/agent.json", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

static int options_read_file(const struct settings *s, struct err *e)
{
	auto_json struct json *document = NULL;
	auto_buf struct buf text = {0};
	char path[PATH_MAX];

	if (!options_file_path(path, sizeof(path)))
		return 0;
	if (io_read_file(AT_FDCWD, path, FILE_BYTES, &text, e))
		return e->kind == ERR_SYSTEM && (e->number == ENOENT || e->number == ENOTDIR) ? 0
											      : -1;
	document = json_parse(buf_string(&text), text.length, e);
	if (!document || settings_from_json(s, document, e))
		return err_prefix(e, "%.200s", path);
	return 0;
}

/* A caller that reads JSON gets errors about flags as JSON, too, wherever --json stands. */
static void options_find_json(int argc, char *const *argv, struct agent_options *o)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		o->json = o->json || !strcmp(argv[i], "--json");
}

static void options_take_task(int argc, char *const *argv, struct agent_options *o)
{
	auto_buf struct buf task = {0};

	for (int i = 0; i < argc; i++) {
		buf_text(&task, i ? " " : "");
		buf_text(&task, argv[i]);
	}
	if (argc)
		o->task = spec_strdup(&o->limits, buf_string(&task));
}

int agent_options_read(int argc, char **argv, struct agent_options *out, struct err *e)
{
	uint64_t given[SETTING_GIVEN] = {0};
	struct settings settings = agent_settings_of(out, given);
	int used = 0;

	*out = (struct agent_options){0};
	spec_init(&out->limits);
	setting_defaults(&settings.tables[0], &out->limits);
	argc = argc ? argc - 1 : 0;
	if (options_read_file(&settings, e) || settings_from_environment(&settings, PREFIX, e) ||
	    setting_words(&settings, argc, argv + 1, &used, e)) {
		options_find_json(argc - used, argv + 1 + used, out);
		return -1;
	}
	options_take_task(argc - used, argv + 1 + used, out);
	out->workspace_given = setting_given(agent_settings, given, "workspace");
	return 0;
}

void agent_options_fini(struct agent_options *o)
{
	spec_fini(&o->limits);
	*o = (struct agent_options){0};
}
