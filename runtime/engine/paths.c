/*
 * paths - the routes of the Engine's socket, and its site.
 *
 * A path may have a version before it: it is judged, and the routes do not see it.
 */
#include "engine/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/docker_release.h"
#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/archive.h"
#include "engine/errand.h"
#include "engine/peer.h"
#include "engine/routes.h"
#include "engine/spool.h"
#include "engine/streaming.h"
#include "engine/waits.h"

#define JSON_MAX (4u << 20)
#define TAR      "application/x-tar"

static void paths_none(struct request *r)
{
	request_refuse(r, 404, "page not found");
}

/* clang-format off */
static const struct path paths[] = {
	{"GET",    "/_ping",                    .run = system_ping},
	{"GET",    "/version",                  .run = system_version},
	{"GET",    "/info",                     .words = "info --format=json", .shape = answer_same},
	{"GET",    "/events",                   .words = "events --format=json --since=?0since --until=?0until ?filters", .type = ANSWER_JSON},
	{"GET",    "/containers/json",          .words = "ps --format=engine --all?all --last=?limit ?filters", .shape = answer_same},
	{"POST",   "/containers/create",        .run = containers_create},
	{"POST",   "/containers/prune",         .words = "container prune --force", .shape = containers_pruned, .settled = containers_filtered},
	{"GET",    "/containers/*/json",        .words = "inspect --type=container CONTAINER", .shape = answer_one},
	{"POST",   "/containers/*/start",       .words = "start CONTAINER", .settled = containers_run, .refuse = reply_lacks_program},
	{"POST",   "/containers/*/stop",        .words = "stop ?t --signal=?signal CONTAINER", .settled = containers_have_ended},
	{"POST",   "/containers/*/restart",     .words = "restart ?t CONTAINER"},
	{"POST",   "/containers/*/kill",        .words = "kill --signal=?signal CONTAINER"},
	{"POST",   "/containers/*/pause",       .words = "pause CONTAINER", .settled = containers_pause},
	{"POST",   "/containers/*/unpause",     .words = "unpause CONTAINER", .settled = containers_unpause},
	{"POST",   "/containers/*/rename",      .words = "rename -- CONTAINER ?name"},
	{"POST",   "/containers/*/update",      .run = containers_update},
	{"POST",   "/containers/*/wait",        .run = waits_run},
	{"POST",   "/containers/*/attach",      .run = attach_attach},
	{"POST",   "/containers/*/resize",      .run = attach_resize},
	{"POST",   "/containers/*/exec",        .run = execs_create},
	{"GET",    "/containers/*/logs",        .run = attach_logs},
	{"GET",    "/containers/*/top",         .words = "top --json CONTAINER", .shape = answer_same},
	{"GET",    "/containers/*/stats",       .words = "stats --format=engine --no-stream?!stream CONTAINER", .type = ANSWER_JSON},
	{"GET",    "/containers/*/changes",     .words = "diff --json CONTAINER", .shape = answer_same},
	{"GET",    "/containers/*/export",      .words = "export CONTAINER", .type = "application/octet-stream"},
	{"GET",    "/containers/*/archive",     .run = archive_get},
	{"PUT",    "/containers/*/archive",     .run = archive_put, .take = spool_take},
	{"DELETE", "/containers/*",             .words = "rm --force?force CONTAINER"},
	{"POST",   "/commit",                   .run = containers_commit},
	{"POST",   "/exec/*/start",             .run = execs_start},
	{"POST",   "/exec/*/resize",            .run = execs_resize},
	{"GET",    "/exec/*/json",              .run = execs_inspect},
	{"GET",    "/images/json",              .words = "images --format=engine --filter=reference=?filter ?filters", .shape = answer_same},
	{"POST",   "/images/create",            .run = images_create, .take = spool_take},
	{"POST",   "/images/load",              .run = images_load, .take = spool_take},
	{"POST",   "/images/prune",             .run = images_prune},
	{"GET",    "/images/get",               .run = images_get},
	{"GET",    "/images/**/json",           .words = "image inspect IMAGE", .shape = answer_one},
	{"GET",    "/images/**/history",        .run = images_history},
	{"GET",    "/images/**/get",            .words = "save IMAGE", .type = TAR},
	{"GET",    "/images/**",                .run = paths_none},
	{"POST",   "/images/**/tag",            .run = images_tag},
	{"POST",   "/images/**/push",           .run = images_push},
	{"DELETE", "/images/**",                .run = images_remove},
	{"POST",   "/build",                    .run = images_build, .take = spool_take},
	{"GET",    "/volumes",                  .words = "volume ls --json ?filters", .shape = volumes_listed},
	{"POST",   "/volumes/create",           .run = volumes_create},
	{"POST",   "/volumes/prune",            .words = "volume prune --force ?filters", .shape = volumes_pruned},
	{"GET",    "/volumes/*",                .words = "volume inspect VOLUME", .shape = answer_one},
	{"DELETE", "/volumes/*",                .words = "volume rm --force?force VOLUME"},
	{"GET",    "/system/df",                .run = usage_run},
	{"GET",    "/networks",                 .run = system_networks},
	{"GET",    "/networks/*",               .run = system_network},
	{"POST",   "/networks/**",              .run = system_refuse_networks},
	{"DELETE", "/networks/*",               .run = system_refuse_networks},
	{"GET",    "/plugins/*/json",           .run = system_no_plugin},
};
/* clang-format on */

#define PATHS (sizeof(paths) / sizeof(paths[0]))

static void paths_run(struct request *r)
{
	const struct path *p = &paths[r->route - r->server->routes];
	const struct streaming_wish wish = {
		.out = true, .type = p->type, .begin = streaming_at_output};
	auto_errand struct errand o = {.found.dir = -1};

	if (p->run) {
		p->run(r);
		return;
	}
	if (!errand_fill(r, p->words, &o) || (p->settled && p->settled(r, &o.found)))
		return;
	if (p->type) {
		streaming_run(r, &o.words, &wish);
		return;
	}
	reply_run(r, &o.words, -1, p->shape, NULL, NULL);
	reply_refuses(r, p->refuse);
}

struct route *paths_routes(void)
{
	struct route *routes = own_zeroed(PATHS + 1, sizeof(*routes));

	for (size_t i = 0; i < PATHS; i++)
		routes[i] =
			(struct route){.method = paths[i].method,
				       .path = paths[i].path,
				       .run = paths_run,
				       .body_max = paths[i].take                         ? SIZE_MAX
						   : strcmp(paths[i].method, "GET") != 0 ? JSON_MAX
											 : 0,
				       .is_open = true,
				       .take = paths[i].take};
	return routes;
}

/* "/v1.41" in front of a path. Returns its length; 0: none. */
static size_t paths_version(const char *path, unsigned *minor)
{
	static const char begins[] = "/v1.";
	const size_t length = strlen(begins);
	size_t digits;

	if (strncmp(path, begins, length) != 0)
		return 0;
	digits = strspn(path + length, "0123456789");
	if (!digits || digits > 3 || path[length + digits] != '/')
		return 0;
	*minor = (unsigned)strtoul(path + length, NULL, 10);
	return length + digits;
}

static size_t paths_prefix(const char *path)
{
	unsigned minor;

	return paths_version(path, &minor);
}

unsigned server_minor(const struct request *r)
{
	unsigned minor = ENGINE_MINOR;

	(void)paths_version(r->path, &minor);
	return minor;
}

static bool paths_admit(struct request *r)
{
	unsigned minor;

	request_set_header(r, "Api-Version", ENGINE_API);
	request_set_header(r, "Docker-Experimental", "false");
	request_set_header(r, "Ostype", "linux");
	request_set_header(r, "Server", "Docker/" DOCKER_VERSION " (linux)");
	if (!paths_version(r->path, &minor))
		return true;
	if (minor >= ENGINE_MINOR_LEAST && minor <= ENGINE_MINOR)
		return true;
	request_refuse(r, 400,
		       minor > ENGINE_MINOR
			       ? "client version 1.%u is too new. Maximum supported API version "
				 "is " ENGINE_API
			       : "client version 1.%u is too old. Minimum supported API version "
				 "is " ENGINE_API_LEAST
				 ", please upgrade your client to a newer version",
		       minor);
	return false;
}

static void paths_dismiss(struct request *r)
{
	request_refuse(r, 503, "the Engine is ending");
}

static void paths_explain(unsigned status, const char *text, size_t length, struct buf *body)
{
	(void)status;
	json_put(body, "{message:%.*s}", (int)length, text);
	buf_text(body, "\n");
}

const struct site paths_site = {.welcomes = peer_is_outside,
				.prefix = paths_prefix,
				.admit = paths_admit,
				.turn_away = paths_dismiss,
				.dismiss = paths_dismiss,
				.refusal_type = ANSWER_JSON,
				.explain = paths_explain};
