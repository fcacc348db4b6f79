/*
 * meta - what image.json says about an image (read by host/image.c).
 */
#include "meta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void meta_fini(struct meta *m)
{
	list_fini(&m->env);
	list_fini(&m->cmd);
	list_fini(&m->entrypoint);
	list_fini(&m->seed_paths);
	list_fini(&m->seed_targets);
	list_fini(&m->preload);
	free(m->user);
	free(m->workdir);
	free(m->suite);
	free(m->recipe);
	*m = (struct meta){0};
}

const char *meta_arch(void)
{
#if defined(__x86_64__)
	return "amd64";
#elif defined(__aarch64__)
	return "arm64";
#else
#error "glovebox runs on x86_64 and arm64"
#endif
}

static void replace(char **slot, const char *text)
{
	free(*slot);
	*slot = strdup(text);
	if (!*slot)
		abort();
}

int meta_read_config(struct meta *m, const struct json *config, struct err *e)
{
	auto_list struct list env = {0};
	const char *user = "";
	const char *workdir = "";

	if (config && !json_is_object(config))
		return err_input(e, "the image's \"config\" must be an object");
	if (config &&
	    (list_from_json(&env, config, "Env", e) || list_from_json(&m->cmd, config, "Cmd", e) ||
	     list_from_json(&m->entrypoint, config, "Entrypoint", e) ||
	     json_get_string(config, "User", &user, e) ||
	     json_get_string(config, "WorkingDir", &workdir, e)))
		return err_prefix(e, "image configuration");
	if (*workdir && *workdir != '/')
		return err_input(e, "image configuration: WorkingDir %.100s is not absolute",
				 workdir);
	/* Docker ignores what is no assignment, and so must we. */
	for (size_t i = 0; i < env.count; i++) {
		if (strchr(env.items[i], '=') && *env.items[i] != '=')
			list_add(&m->env, env.items[i]);
	}
	replace(&m->user, user);
	replace(&m->workdir, workdir);
	return 0;
}

int meta_read_identity(struct meta *m, const struct json *document, struct err *e)
{
	const struct json *seeds = NULL;

	if (meta_read_config(m, json_get(document, "config"), e) ||
	    list_from_json(&m->preload, document, "preload", e) ||
	    json_get_array(document, "seed", &seeds, e))
		return -1;
	for (const struct json *n = json_first(seeds); n; n = json_next(n)) {
		const char *path = "";
		const char *target = "";

		if (json_get_string(n, "path", &path, e) ||
		    json_get_string(n, "target", &target, e))
			return -1;
		list_add(&m->seed_paths, path);
		list_add(&m->seed_targets, target);
	}
	return 0;
}

void meta_identity(const struct meta *m, struct buf *out)
{
	buf_text(out, "\"config\":{\"Env\":");
	list_to_json(&m->env, out);
	buf_text(out, ",\"Cmd\":");
	list_to_json(&m->cmd, out);
	buf_text(out, ",\"Entrypoint\":");
	list_to_json(&m->entrypoint, out);
	buf_text(out, ",\"User\":");
	buf_json_text(out, m->user ? m->user : "");
	buf_text(out, ",\"WorkingDir\":");
	buf_json_text(out, m->workdir ? m->workdir : "");
	buf_text(out, "},\"seed\":[");
	for (size_t i = 0; i < m->seed_paths.count; i++) {
		buf_text(out, i ? ",{\"path\":" : "{\"path\":");
		buf_json_text(out, m->seed_paths.items[i]);
		buf_text(out, ",\"target\":");
		buf_json_text(out, m->seed_targets.items[i]);
		buf_text(out, "}");
	}
	buf_text(out, "],\"preload\":");
	list_to_json(&m->preload, out);
}

void meta_document(const struct meta *m, const char *id, struct buf *out)
{
	time_t now = time(NULL);
	char created[32];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", &tm);
	buf_printf(out,
		   "{\"id\":\"sha256:%s\",\n\"created\":\"%s\",\n\"arch\":\"%s\",\n\"suite\":", id,
		   created, meta_arch());
	buf_json_text(out, m->suite);
	buf_text(out, ",\n\"recipe\":");
	buf_json_text(out, m->recipe);
	buf_text(out, ",\n");
	meta_identity(m, out);
	buf_printf(out, ",\n\"packages\":%" PRIu64 ",\"size_bytes\":%" PRIu64 "}\n", m->packages,
		   m->size_bytes);
}
