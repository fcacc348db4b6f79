/*
 * meta - read and write image.json (read by image/image.c).
 */
#include "meta.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json_put.h"
#include "base/own.h"
#include "exposed.h"

void meta_fini(struct meta *m)
{
	list_fini(&m->env);
	list_fini(&m->cmd);
	list_fini(&m->entrypoint);
	list_fini(&m->exposed);
	list_fini(&m->seed_paths);
	list_fini(&m->seed_targets);
	list_fini(&m->preload);
	free(m->user);
	free(m->workdir);
	free(m->suite);
	free(m->recipe);
	free(m->build);
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

static void meta_replace(char **slot, const char *text)
{
	free(*slot);
	*slot = own_strdup(text);
}

/* An object whose keys are the ports. */
static int meta_read_exposed(struct meta *m, const struct json *config, struct err *e)
{
	const struct json *ports = json_get(config, "ExposedPorts");

	for (const struct json *n = ports ? json_first(ports) : NULL; n; n = json_next(n)) {
		if (json_key(n) && exposed_add(&m->exposed, json_key(n), e))
			return -1;
	}
	return 0;
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
	     meta_read_exposed(m, config, e) || json_get_string(config, "User", &user, e) ||
	     json_get_string(config, "WorkingDir", &workdir, e)))
		return err_prefix(e, "image configuration");
	if (*workdir && *workdir != '/')
		return err_input(e, "image configuration: WorkingDir %.100s is not absolute",
				 workdir);
	/* Docker ignores entries that are not assignments, and so must we. */
	for (size_t i = 0; i < env.count; i++) {
		if (strchr(env.items[i], '=') && *env.items[i] != '=')
			list_add(&m->env, env.items[i]);
	}
	meta_replace(&m->user, user);
	meta_replace(&m->workdir, workdir);
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

/* Nothing where there are none: what was built before has the same identity. */
static void meta_put_exposed(const struct meta *m, struct buf *out)
{
	if (!m->exposed.count)
		return;
	json_put_begin(out, "ExposedPorts", '{');
	for (size_t i = 0; i < m->exposed.count; i++) {
		json_put_begin(out, m->exposed.items[i], '{');
		json_put_end(out, '}');
	}
	json_put_end(out, '}');
}

void meta_identity(const struct meta *m, struct buf *out)
{
	json_put_begin(out, "config", '{');
	list_put(&m->env, out, "Env");
	list_put(&m->cmd, out, "Cmd");
	list_put(&m->entrypoint, out, "Entrypoint");
	json_put_text(out, "User", m->user ? m->user : "");
	json_put_text(out, "WorkingDir", m->workdir ? m->workdir : "");
	meta_put_exposed(m, out);
	json_put_end(out, '}');
	json_put_begin(out, "seed", '[');
	for (size_t i = 0; i < m->seed_paths.count; i++) {
		json_put_begin(out, NULL, '{');
		json_put_text(out, "path", m->seed_paths.items[i]);
		json_put_text(out, "target", m->seed_targets.items[i]);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
	list_put(&m->preload, out, "preload");
}

/* Write a member on a line of its own: people read the file, too. */
static void meta_put_line(struct buf *out, const char *key, const char *text)
{
	json_put_text(out, key, text);
	buf_text(out, ",\n");
}

void meta_document(const struct meta *m, const char *id, struct buf *out)
{
	auto_free char *full_id = own_printf("sha256:%s", id);
	time_t now = time(NULL);
	char created[32];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_put_begin(out, NULL, '{');
	meta_put_line(out, "id", full_id);
	meta_put_line(out, "created", created);
	meta_put_line(out, "arch", meta_arch());
	meta_put_line(out, "suite", m->suite);
	meta_put_line(out, "recipe", m->recipe);
	if (m->build)
		meta_put_line(out, "build", m->build);
	meta_identity(m, out);
	buf_text(out, ",\n");
	json_put_uint(out, "packages", m->packages);
	json_put_uint(out, "size_bytes", m->size_bytes);
	json_put_end(out, '}');
	buf_text(out, "\n");
}
