/*
 * paths - the routes of the Engine's socket, and its site.
 *
 * A path may have a version before it: it is judged, and the routes do not see it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/docker_release.h"
#include "base/json_put.h"
#include "engine/answer.h"
#include "engine/archive.h"
#include "engine/attach.h"
#include "engine/containers.h"
#include "engine/execs.h"
#include "engine/images.h"
#include "engine/peer.h"
#include "engine/spool.h"
#include "engine/statistics.h"
#include "engine/system.h"
#include "engine/usage.h"
#include "engine/volumes.h"
#include "engine/waits.h"

#define JSON_MAX (4u << 20)

/* clang-format off */
static const struct route routes[] = {
	{"GET",    "/_ping",                    system_ping,         0,        true, NULL},
	{"GET",    "/version",                  system_version,      0,        true, NULL},
	{"GET",    "/info",                     system_info,         0,        true, NULL},
	{"GET",    "/events",                   attach_events,       0,        true, NULL},
	{"GET",    "/containers/json",          containers_list,     0,        true, NULL},
	{"POST",   "/containers/create",        containers_create,   JSON_MAX, true, NULL},
	{"POST",   "/containers/prune",         containers_prune,    JSON_MAX, true, NULL},
	{"GET",    "/containers/*/json",        containers_inspect,  0,        true, NULL},
	{"POST",   "/containers/*/start",       containers_start,    JSON_MAX, true, NULL},
	{"POST",   "/containers/*/stop",        containers_stop,     JSON_MAX, true, NULL},
	{"POST",   "/containers/*/restart",     containers_restart,  JSON_MAX, true, NULL},
	{"POST",   "/containers/*/kill",        containers_kill,     JSON_MAX, true, NULL},
	{"POST",   "/containers/*/pause",       containers_pause,    JSON_MAX, true, NULL},
	{"POST",   "/containers/*/unpause",     containers_unpause,  JSON_MAX, true, NULL},
	{"POST",   "/containers/*/rename",      containers_rename,   JSON_MAX, true, NULL},
	{"POST",   "/containers/*/update",      containers_update,   JSON_MAX, true, NULL},
	{"POST",   "/containers/*/wait",        waits_run,            JSON_MAX, true, NULL},
	{"POST",   "/containers/*/attach",      attach_attach,       JSON_MAX, true, NULL},
	{"POST",   "/containers/*/resize",      attach_resize,       JSON_MAX, true, NULL},
	{"POST",   "/containers/*/exec",        execs_create,         JSON_MAX, true, NULL},
	{"GET",    "/containers/*/logs",        attach_logs,         0,        true, NULL},
	{"GET",    "/containers/*/top",         containers_top,      0,        true, NULL},
	{"GET",    "/containers/*/stats",       statistics_run,           0,        true, NULL},
	{"GET",    "/containers/*/changes",     containers_changes,  0,        true, NULL},
	{"GET",    "/containers/*/export",      attach_export,       0,        true, NULL},
	{"GET",    "/containers/*/archive",     archive_get,         0,        true, NULL},
	{"PUT",    "/containers/*/archive",     archive_put,         SIZE_MAX, true, spool_take},
	{"DELETE", "/containers/*",             containers_remove,   JSON_MAX, true, NULL},
	{"POST",   "/commit",                   containers_commit,   JSON_MAX, true, NULL},
	{"POST",   "/exec/*/start",             execs_start,          JSON_MAX, true, NULL},
	{"POST",   "/exec/*/resize",            execs_resize,         JSON_MAX, true, NULL},
	{"GET",    "/exec/*/json",              execs_inspect,        0,        true, NULL},
	{"GET",    "/images/json",              images_list,         0,        true, NULL},
	{"POST",   "/images/create",            images_create,       SIZE_MAX, true, spool_take},
	{"POST",   "/images/load",              images_load,         SIZE_MAX, true, spool_take},
	{"POST",   "/images/prune",             images_prune,        JSON_MAX, true, NULL},
	{"GET",    "/images/get",               images_get,          0,        true, NULL},
	{"GET",    "/images/**",                images_of,           0,        true, NULL},
	{"POST",   "/images/**",                images_tag,          JSON_MAX, true, NULL},
	{"DELETE", "/images/**",                images_remove,       JSON_MAX, true, NULL},
	{"POST",   "/build",                    images_build,        SIZE_MAX, true, spool_take},
	{"GET",    "/volumes",                  volumes_list,        0,        true, NULL},
	{"POST",   "/volumes/create",           volumes_create,      JSON_MAX, true, NULL},
	{"POST",   "/volumes/prune",            volumes_prune,       JSON_MAX, true, NULL},
	{"GET",    "/volumes/*",                volumes_inspect,     0,        true, NULL},
	{"DELETE", "/volumes/*",                volumes_remove,      JSON_MAX, true, NULL},
	{"GET",    "/system/df",                usage_run,       0,        true, NULL},
	{"GET",    "/networks",                 system_networks,     0,        true, NULL},
	{"GET",    "/networks/*",               system_network,      0,        true, NULL},
	{"POST",   "/networks/**",              system_refuse_networks, JSON_MAX, true, NULL},
	{"DELETE", "/networks/*",               system_refuse_networks, 0,      true, NULL},
	{"GET",    "/plugins/*/json",           system_no_plugin,    0,        true, NULL},
	{NULL,     NULL,                        NULL,                0,        false, NULL},
};
/* clang-format on */

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

static void paths_explain(const char *text, size_t length, struct buf *body)
{
	json_put_begin(body, NULL, '{');
	json_put_bytes(body, "message", text, length);
	json_put_end(body, '}');
	buf_text(body, "\n");
}

const struct site paths_site = {.routes = routes,
				.welcomes = peer_is_outside,
				.prefix = paths_prefix,
				.admit = paths_admit,
				.turn_away = paths_dismiss,
				.dismiss = paths_dismiss,
				.refusal_type = ANSWER_JSON,
				.explain = paths_explain};
