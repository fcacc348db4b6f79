/*
 * flags - a server's settings: flags override variables, the file, and the defaults, in this order.
 */
#include "serve/flags.h"

#include <string.h>

#include "base/own.h"
#include "flags/setting_words.h"
#include "fs/document.h"
#include "image/image_reference.h"
#include "spec/setting_sources.h"
#include "tenant/handle.h"

#define PREFIX "GLOVEBOX_SERVE_"

/* The words of a command line behind the program's name. */
struct flags_words {
	int count;
	char **words;
};

static int flags_read_words(const struct settings *s, const struct flags_words *given,
			    struct err *e)
{
	int at;

	if (settings_from_environment(s, PREFIX, e) ||
	    setting_words(s, given->count, given->words, &at, e))
		return -1;
	return given->count > at ? err_input(e, "serve takes flags only: \"%.100s\" is none",
					     given->words[at])
				 : 0;
}

/* Find the settings file: read everything once for its path alone; flags_read() reads again. */
static int flags_find_file(const struct flags_words *given, char **path, struct err *e)
{
	struct serve_options options = {0};
	struct sandbox_spec terms;
	struct settings settings = serve_all_settings(&terms, &options);
	int bad;

	spec_init(&terms);
	bad = flags_read_words(&settings, given, e);
	*path = !bad && options.config ? own_strdup(options.config) : NULL;
	list_fini(&options.faces);
	list_fini(&options.hosts);
	list_fini(&options.origins);
	spec_fini(&terms);
	return bad;
}

static int flags_read_file(const struct settings *s, const struct serve_options *options,
			   const char *path, struct err *e)
{
	auto_json struct json *document = document_read(path, e);

	if (!document)
		return err_prefix(e, "--config");
	if (settings_from_json(s, document, e))
		return err_prefix(e, "--config %.300s", path);
	return options->config
		       ? err_input(e, "--config %.300s: \"config\": a file names no other", path)
		       : 0;
}

static int flags_finish(struct server *server, struct err *e)
{
	struct serve_options *o = &server->options;

	log_open(&server->log, o->log_format == SERVE_LOG_JSON, o->access_log && !o->is_quiet);
	if (o->memory_mb)
		server->terms.limits.memory_bytes = o->memory_mb << 20;
	if (o->node && !handle_label_is_valid(o->node))
		return err_input(e, "--node: at most %d of a-z and 0-9", HANDLE_LABEL_MOST);
	return image_reference(o->image, &server->image, e);
}

int flags_read(struct server *server, int argc, char **argv, struct err *e)
{
	struct settings settings = serve_all_settings(&server->terms, &server->options);
	const struct flags_words given = {argc - 1, argv + 1};
	auto_free char *file = NULL;

	spec_init(&server->terms);
	setting_defaults(&settings.tables[0], NULL);
	if (flags_find_file(&given, &file, e))
		return -1;
	if ((file && flags_read_file(&settings, &server->options, file, e)) ||
	    flags_read_words(&settings, &given, e))
		return -1;
	return flags_finish(server, e);
}
