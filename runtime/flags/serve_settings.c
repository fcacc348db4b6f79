/*
 * serve_settings - the flags of `glovebox serve` besides the limits of a run, one row each.
 */
#include "flags/serve_settings.h"

#include <stddef.h>
#include <strings.h>

#include "spec/preload.h"
#include "spec/run_settings.h"

#define AT(field) offsetof(struct serve_options, field)
#define HOUR      3600000ll
#define LEVELS    "debug|info|warning|error|critical"
/*
 * The levels of Python's logging, in any case. From "warning" on the server logs no requests;
 * errors are logged at every level.
 */
static int serve_settings_log_level(void *target, const char *value, struct err *e)
{
	static const char *const levels[] = {"debug", "info",     "warning", "warn",
					     "error", "critical", "fatal"};
	struct serve_options *o = target;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (!strcasecmp(value, levels[i])) {
			o->is_quiet = i > 1;
			return 0;
		}
	}
	return err_input(e, "\"%.60s\" is none of " LEVELS, value);
}

/* clang-format off */
#define FIXED     "programs of a server run in /workspace, as 1000:1000, on a host named sandbox; glovebox run has this flag"

const struct setting serve_settings[] = {
	{"config", 0, "FILE", GROUP_PROGRAM, FACE_SERVE, SETTING_TEXT, AT(config), NULL, .min = 1, .help = "these settings as a JSON object: {\"max_runs\": 8}; variables and flags override it"},
	{"listen", 0, "HOST:PORT|unix:PATH", GROUP_PROGRAM, FACE_SERVE, SETTING_TEXT, AT(listen), NULL, .min = 1, .words = "--host, --port", .help = "where to listen; a socket that systemd passes takes precedence"},
	{"host", 0, "ADDRESS", GROUP_PROGRAM, FACE_SERVE, SETTING_TEXT, AT(host), "127.0.0.1", .min = 1, .variable = "HOST", .help = "the first part of --listen, where that is not given"},
	{"port", 0, "N", GROUP_PROGRAM, FACE_SERVE, SETTING_COUNT, AT(port), "8000", .max = 65535, .variable = "PORT", .help = "the second; 0: one that is free"},
	{"face", 0, "NAME=HOST:PORT|NAME=unix:PATH", GROUP_PROGRAM, FACE_SERVE, SETTING_LIST, AT(faces), NULL, .min = 1, .repeated = true, .help = "another API on an address of its own: agent-sandbox, dify, e2b, librechat, pandastack"},
	{"image", 0, "IMAGE", GROUP_PROGRAM, FACE_SERVE, SETTING_TEXT, AT(image), "python", .min = 1, .help = "whose Python runs the code"},
	{"trust-image", 0, NULL, GROUP_PROGRAM, FACE_SERVE, SETTING_FLAG, AT(trust_image), NULL, .help = "accept an imported image: its interpreter is then as trusted as glovebox itself"},
	{"preload", 0, "MODULES", GROUP_PROGRAM, FACE_SERVE, SETTING_TEXT, AT(preload), NULL, .words = PRELOAD_WORDS, .help = PRELOAD_HELP},
	{"pool", 0, "N", GROUP_PROGRAM, FACE_SERVE, SETTING_COUNT, AT(pool), "4", .min = 1, .max = 1000, .help = "cells that wait, ready to be used"},
	{"files", 0, "DIR", GROUP_FILES, FACE_SERVE, SETTING_WRITTEN, AT(files), NULL, .min = 1, .variable = "FILE_STORAGE_DIR", .words = "/var/lib/glovebox/serve for root, else ~/.local/state/glovebox/serve", .help = "where uploaded files are; made if missing, for this server alone"},
	{"max-file", 0, "MB", GROUP_FILES, FACE_SERVE, SETTING_COUNT, AT(file_max_mb), "100", .min = 1, .max = 1 << 20, .variable = "MAX_FILE_SIZE_MB", .help = "the largest file"},
	{"max-files", 0, "SIZE", GROUP_FILES, FACE_SERVE, SETTING_BYTES, AT(files_max), "10g", .min = 1, .max = 1ll << 50, .help = "the most of all files together"},
	{"file-ttl", 0, "SECONDS", GROUP_FILES, FACE_SERVE, SETTING_COUNT, AT(file_ttl_s), "3600", .min = 1, .max = 366 * 86400, .variable = "FILE_TTL_SEC", .help = "how long a file stays"},
	{"node", 0, "LABEL", GROUP_PROGRAM, FACE_SERVE, SETTING_TEXT, AT(node), NULL, .min = 1, .help = "part of the names of sessions, by which a proxy finds this server: a-z, 0-9"},
	{"as", 0, "USER", GROUP_CONFINEMENT, FACE_SERVE, SETTING_TEXT, AT(as), NULL, .min = 1, .help = "root's server needs it: the ordinary user that it becomes, or the word root"},
	{"tls-cert", 0, "FILE", GROUP_CONFINEMENT, FACE_SERVE, SETTING_TEXT, AT(tls_cert), NULL, .min = 1, .help = "speak TLS with this certificate, PEM, and those that follow it there"},
	{"tls-key", 0, "FILE", GROUP_CONFINEMENT, FACE_SERVE, SETTING_TEXT, AT(tls_key), NULL, .min = 1, .help = "its key, PEM, closed to others"},
	{"keys", 0, "FILE", GROUP_CONFINEMENT, FACE_SERVE, SETTING_TEXT, AT(keys), NULL, .min = 1, .help = "who may use it (glovebox serve key); without it only 127.0.0.1 or a unix socket"},
	{"ceiling", 0, "FILE", GROUP_CONFINEMENT, FACE_SERVE, SETTING_TEXT, AT(ceiling), NULL, .min = 1, .words = "policy/ceiling.json", .help = "the most that a request may ask for"},
	{"allow-host", 0, "NAME", GROUP_CONFINEMENT, FACE_SERVE, SETTING_LIST, AT(hosts), NULL, .min = 1, .repeated = true, .help = "a name that requests over loopback may have in Host, beside localhost; with a dot in front all names below it"},
	{"cors", 0, "ORIGIN", GROUP_CONFINEMENT, FACE_SERVE, SETTING_LIST, AT(origins), NULL, .min = 1, .repeated = true, .help = "pages of that origin may use it: https://chat.example.org"},
	{"drain", 0, "DURATION", GROUP_PROGRAM, FACE_SERVE, SETTING_DURATION, AT(drain_ms), "30s", .max = HOUR, .help = "after SIGTERM, the longest wait for runs that are not over"},
	{"audit", 0, "FILE", GROUP_RESULT, FACE_SERVE, SETTING_WRITTEN, AT(audit), NULL, .min = 1, .help = "a line for each execution; what cannot be written there is not run"},
	{"log-format", 0, "plain|json", GROUP_RESULT, FACE_SERVE, SETTING_CHOICE, AT(log_format), "plain", .choices = "plain|json", .variable = "LOG_FORMAT", .help = "of what is said on stderr"},
	{"log-level", 0, "LEVEL", GROUP_RESULT, FACE_SERVE, SETTING_OWN, 0, "info", .parse = serve_settings_log_level, .choices = LEVELS, .variable = "LOG_LEVEL", .help = "info or debug, or another one: then without a line for each request"},
	{"access-log", 0, "on|off", GROUP_RESULT, FACE_SERVE, SETTING_ON_OFF, AT(access_log), "on", .choices = "off|on", .help = "a line there for each request"},
	{"max-runs", 0, "N", GROUP_LIMITS, FACE_SERVE, SETTING_COUNT, AT(runs_max), "16", .min = 1, .max = 10000, .variable = "MAX_CONCURRENT_EXECUTIONS", .help = "runs at once"},
	{"queue", 0, "DURATION", GROUP_LIMITS, FACE_SERVE, SETTING_DURATION, AT(queue_ms), "5s", .max = HOUR, .variable = "EXECUTION_QUEUE_TIMEOUT_SEC", .help = "the longest wait for a place among them, before 429"},
	{"retry-after", 0, "SECONDS", GROUP_LIMITS, FACE_SERVE, SETTING_COUNT, AT(retry_s), "2", .min = 1, .max = 3600, .variable = "EXECUTION_RETRY_AFTER_SEC", .help = "what the header of that reply advises"},
	{"capacity-retry-after", 0, "SECONDS", GROUP_LIMITS, FACE_SERVE, SETTING_COUNT, AT(capacity_retry_s), "10", .min = 1, .max = 3600, .variable = "CAPACITY_RETRY_AFTER_SEC", .help = "the same of a 503, when no cell can be had"},
	{"max-timeout", 0, "MILLISECONDS", GROUP_LIMITS, FACE_SERVE, SETTING_COUNT, AT(timeout_max_ms), "60000", .min = 1, .max = 24 * HOUR, .variable = "MAX_EXEC_TIMEOUT_MS", .help = "the longest timeout_ms of a request"},
	{"max-output", 0, "BYTES", GROUP_LIMITS, FACE_SERVE, SETTING_COUNT, AT(output_max), "1000000", .min = 64, .max = 64 << 20, .variable = "MAX_OUTPUT_BYTES", .help = "of each of stdout and stderr; the rest is dropped"},
	{"memory-mb", 0, "MB", GROUP_LIMITS, FACE_SERVE, SETTING_COUNT, AT(memory_mb), NULL, .min = 16, .max = 1 << 20, .variable = "MEMORY_LIMIT_MB", .help = "--memory, under the name that other services have"},
	{"max-mcp-sessions", 0, "N", GROUP_LIMITS, FACE_SERVE, SETTING_COUNT, AT(mcp_sessions_max), "16", .max = 10000, .help = "clients of /mcp at once that have an Mcp-Session-Id; the one that was idle longest ends for a new one; 0: none has"},
	{"max-connections", 0, "N", GROUP_LIMITS, FACE_SERVE, SETTING_COUNT, AT(connections_max), "1000", .min = 1, .max = 100000, .help = "connections at once, and half of the descriptors that it may have at most"},
	{"max-in-flight", 0, "SIZE", GROUP_LIMITS, FACE_SERVE, SETTING_BYTES, AT(flight_max), "256m", .min = 32 << 20, .max = 1ll << 40, .help = "bodies and replies in memory, all together"},
	{"header-timeout", 0, "DURATION", GROUP_LIMITS, FACE_SERVE, SETTING_DURATION, AT(headers_ms), "20s", .min = 100, .max = HOUR, .help = "within it the headers of a request have come, or the connection ends; within a second where hardly any connection is free"},
	{"stall-timeout", 0, "DURATION", GROUP_LIMITS, FACE_SERVE, SETTING_DURATION, AT(still_ms), "60s", .min = 1000, .max = HOUR, .help = "a body, or a reply, that stands still for so long ends its connection; a whole one has this time, and a second more for each 4 KiB"},
	{"workdir", 0, "PATH", GROUP_REFUSED, FACE_SERVE, SETTING_MOOT, 0, NULL, .harmless = "/workspace", .help = FIXED},
	{"user", 0, "USER[:GROUP]", GROUP_REFUSED, FACE_SERVE, SETTING_MOOT, 0, NULL, .harmless = "1000|1000:1000", .help = FIXED},
	{"hostname", 0, "NAME", GROUP_REFUSED, FACE_SERVE, SETTING_MOOT, 0, NULL, .harmless = "sandbox", .help = FIXED},
	SETTING_END,
};
/* clang-format on */

struct settings serve_all_settings(struct sandbox_spec *spec, struct serve_options *options)
{
	return (struct settings){
		.face = FACE_SERVE | FACE_HTTP,
		.keeper = spec,
		.hint = "\"glovebox serve --help\" lists them",
		.tables = {{serve_settings, options, NULL}, run_settings_table(spec)},
	};
}
