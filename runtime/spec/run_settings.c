/*
 * run_settings - every flag of `glovebox run` that shapes the sandbox, one row each. Flags of
 * docker run that change nothing here are in docker_settings.c.
 */
#include "spec/run_settings.h"

#include "spec/ca.h"
#include "spec/egress_flags.h"
#include "spec/egress_proxy_flag.h"
#include "spec/limit_flags.h"
#include "spec/mount_flags.h"
#include "spec/program_flags.h"
#include "spec/writable.h"

#define AT(field)   offsetof(struct sandbox_spec, field)
#define ANY         (FACE_RUN | FACE_CELL | FACE_SESSION)
#define LIMIT       (ANY | FACE_AGENT | FACE_HTTP | FACE_MCP)
#define NETWORK     (ANY | FACE_AGENT | FACE_MCP)
#define MIN_MEMORY  (6 << 20) /* Docker's own minimum */
#define MAX_BYTES   (1ll << 50)
#define HOUR        3600000ll
#define MAX_TIME    (366 * 24 * HOUR)
#define NO_INPUT    "a session's code has no standard input"
#define NO_CELL_CPU "a cell has no --cpuset-cpus and no --cpu-time: leave it out"

const struct setting run_settings[] = {
  /* clang-format off */
	{"code", 0, "FILE|-", GROUP_PROGRAM, FACE_RUN | FACE_CELL, SETTING_TEXT, AT(code_file), NULL, .min = 1, .unfit = "give it to glovebox session exec", .help = "run a Python file, or standard input; words behind IMAGE are its arguments"},
	{"env", 'e', "KEY[=VALUE]", GROUP_PROGRAM, ANY, SETTING_OWN, 0, NULL, .parse = program_flag_env, .repeated = true, .help = "set a variable; a bare KEY is copied from your environment"},
	{"env-file", 0, "FILE", GROUP_PROGRAM, ANY, SETTING_OWN, 0, NULL, .parse = program_flag_env_file, .repeated = true, .help = "read KEY=VALUE lines"},
	{"entrypoint", 0, "PROGRAM", GROUP_PROGRAM, FACE_RUN | FACE_CELL, SETTING_TEXT, AT(entrypoint), NULL, .help = "replace the image's entrypoint and drop its command"},
	{"workdir", 'w', "PATH", GROUP_PROGRAM, ANY, SETTING_OWN, 0, NULL, .parse = program_flag_workdir, .words = "the image's", .help = "working directory; with --output /output, else with --workspace /data"},
	{"user", 'u', "USER[:GROUP]", GROUP_PROGRAM, ANY, SETTING_OWN, 0, NULL, .parse = program_flag_user, .words = "1000:1000", .blank = true, .help = "user inside, by name or number; in :ro mounts with that user's rights"},
	{"hostname", 'h', "NAME", GROUP_PROGRAM, ANY, SETTING_OWN, 0, "sandbox", .parse = program_flag_hostname, .blank = true, .help = "host name inside"},
	{"interactive", 'i', NULL, GROUP_PROGRAM, FACE_RUN | FACE_CELL, SETTING_FLAG, AT(interactive), NULL, .unfit = NO_INPUT, .help = "pass standard input to the program"},
	{"tty", 't', NULL, GROUP_PROGRAM, FACE_RUN | FACE_CELL, SETTING_FLAG, AT(tty), NULL, .unfit = NO_INPUT, .help = "give the program a terminal made inside the sandbox"},
	{"stop-signal", 0, "SIGNAL", GROUP_PROGRAM, FACE_RUN | FACE_CELL, SETTING_OWN, 0, "SIGTERM", .parse = program_flag_stop_signal, .choices = "SIGTERM|SIGINT|SIGHUP|SIGQUIT|SIGUSR1|SIGUSR2|SIGKILL", .help = "sent before a kill, if --stop-timeout is set; at --timeout, for SIGINT"},
	{"stop-timeout", 0, "DURATION", GROUP_PROGRAM, FACE_RUN | FACE_CELL, SETTING_DURATION, AT(stop_timeout_ms), "0", .max = HOUR, .help = "grace between the stop signal and the kill"},
	{"sig-proxy", 0, NULL, GROUP_PROGRAM, FACE_RUN | FACE_CELL, SETTING_FLAG, AT(sig_proxy), NULL, .words = "under the name docker", .unfit = "a session's program is not the client's", .help = "forward signals; the third SIGTERM or SIGINT kills"},
	{"detach", 'd', NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, AT(stays), NULL, .unfit = "a session stays as it is", .help = "leave it running and print its id, for exec, logs, cp, stop, rm ..."},
	{"rm", 0, NULL, GROUP_PROGRAM, ANY, SETTING_OWN, 0, NULL, .parse = program_flag_remove, .alone = "true", .words = "true without --detach", .help = "with --detach: remove its record and log when it has ended"},

	{"volume", 'v', "SRC:DST[:ro]", GROUP_FILES, ANY, SETTING_OWN, 0, NULL, .parse = mount_flag_volume, .repeated = true, .help = "mount a path with its owner's rights (docker run makes it), or a volume by name"},
	{"mount", 0, "type=bind|volume|tmpfs,...", GROUP_FILES, ANY, SETTING_OWN, 0, NULL, .parse = mount_flag_mount, .choices = "type=bind,source=|type=volume,source=|type=tmpfs,target=", .repeated = true, .help = "the same, spelled out; a missing source is an error"},
	{"tmpfs", 0, "PATH[:OPTIONS]", GROUP_FILES, ANY, SETTING_OWN, 0, NULL, .parse = mount_flag_tmpfs, .words = DEFAULT_TMP, .repeated = true, .help = "a directory in memory; docker's options and nr_inodes"},
	{"workspace", 0, "DIR", GROUP_FILES, ANY, SETTING_OWN, 0, NULL, .parse = mount_flag_workspace, .help = "mount DIR read-only at /data"},
	{"output", 0, "DIR[,size=,files=]", GROUP_FILES, FACE_RUN | FACE_CELL, SETTING_OWN, 0, NULL, .parse = mount_flag_output, .words = DEFAULT_OUTPUT, .unfit = "take files with glovebox session get, or mount a directory with -v", .help = "collect the files left in /output; DIR is created as for -v"},
	{"shm-size", 0, "SIZE", GROUP_FILES, ANY | FACE_HTTP, SETTING_BYTES, AT(limits.shm_bytes), "64m", .min = 4096, .max = MAX_BYTES, .ceiling = true, .help = "size of /dev/shm"},
	{"writable", 0, "SIZE", GROUP_FILES, NETWORK, SETTING_OWN, 0, NULL, .parse = writable_flag, .alone = "true", .words = "half of --memory, 1g at most", .help = "changes to the root, kept in memory until the end"},

	{"memory", 'm', "SIZE", GROUP_LIMITS, LIMIT | FACE_UPDATE, SETTING_BYTES, AT(limits.memory_bytes), "512m", .min = MIN_MEMORY, .max = MAX_BYTES, .none = "0", .ceiling = true, .help = "memory of all processes and tmpfs together; also limits sockets; 0: no limit"},
	{"memory-swap", 0, "SIZE", GROUP_LIMITS, LIMIT | FACE_UPDATE, SETTING_BYTES, AT(asked.swap_total_bytes), NULL, .max = MAX_BYTES, .none = "-1", .words = "no swap", .ceiling = true, .help = "memory plus swap; -1: no limit"},
	{"cpus", 0, "N", GROUP_LIMITS, LIMIT | FACE_UPDATE, SETTING_MILLI, AT(asked.cpus_milli), "1", .min = 10, .max = 1024000, .none = "0", .ceiling = true, .help = "CPU time, as a number of CPUs; 0: no limit"},
	{"cpu-period", 0, "MICROSECONDS", GROUP_LIMITS, ANY | FACE_AGENT | FACE_UPDATE, SETTING_COUNT, AT(limits.cpu_period_us), "100000", .min = 1000, .max = 1000000, .help = "accounting period of --cpu-quota"},
	{"cpu-quota", 0, "MICROSECONDS", GROUP_LIMITS, ANY | FACE_AGENT | FACE_UPDATE, SETTING_COUNT, AT(limits.cpu_quota_us), NULL, .min = 1000, .max = 1ll << 40, .none = "0|-1", .help = "CPU time per period; -1: no limit"},
	{"cpuset-cpus", 0, "LIST", GROUP_LIMITS, FACE_RUN | FACE_SESSION, SETTING_OWN, 0, NULL, .parse = limit_flag_cpuset, .unfit = NO_CELL_CPU, .help = "CPUs that may be used, such as 0-2,4"},
	{"pids-limit", 0, "N", GROUP_LIMITS, LIMIT | FACE_UPDATE, SETTING_COUNT, AT(limits.pids), "64", .min = 2, .max = 4194304, .none = "0|-1", .ceiling = true, .help = "processes and threads, with the sandbox's own pid 1; 0 or -1: no limit"},
	{"timeout", 0, "DURATION", GROUP_LIMITS, FACE_RUN | FACE_CELL | FACE_HTTP, SETTING_DURATION, AT(limits.wall_time_ms), NULL, .min = 1, .max = MAX_TIME, .unfit = "give it to glovebox session exec; --ttl ends a session", .ceiling = true, .help = "wall-clock limit: SIGINT, and a kill 0.5 s later; exit 124; unread output gets 2 s"},
	{"idle-timeout", 0, "DURATION", GROUP_LIMITS, FACE_RUN | FACE_UPDATE, SETTING_DURATION, AT(limits.idle_ms), NULL, .min = 1, .max = MAX_TIME, .none = "0", .unfit = "--idle ends a session", .help = "with --detach: end it after this long without further program or client; exit 124"},
	{"cpu-time", 0, "DURATION", GROUP_LIMITS, FACE_RUN | FACE_SESSION, SETTING_DURATION, AT(limits.cpu_time_ms), NULL, .min = 1, .max = MAX_TIME, .unfit = NO_CELL_CPU, .help = "CPU time of all processes together"},
	{"output-limit", 0, "SIZE", GROUP_LIMITS, FACE_RUN | FACE_CELL | FACE_AGENT | FACE_HTTP, SETTING_BYTES, AT(limits.output_bytes), "64m", .max = MAX_BYTES, .none = "0", .unfit = "give it to glovebox session exec", .ceiling = true, .help = "maximum for each of stdout and stderr; the rest is dropped; 0: no limit"},
	{"ulimit", 0, "NAME=SOFT[:HARD]", GROUP_LIMITS, FACE_RUN | FACE_SESSION, SETTING_OWN, 0, NULL, .parse = limit_flag_ulimit, .words = "nofile=1024:4096, ...", .unfit = "--ulimit is set when a process starts", .repeated = true, .help = "limit per process (nofile, fsize, cpu, as, ...)"},

	{"egress", 0, "LIST", GROUP_NETWORK, NETWORK | FACE_IMAGE | FACE_UPDATE, SETTING_OWN, 0, NULL, .parse = egress_flag_list, .choices = "pypi|npm|debian|github|huggingface|conda|none", .words = "nothing", .repeated = true, .help = "what it may reach: HOST[:PORT[:KIND]],..., pypi, ... (docs/network.md)"},
	{"allow-private", 0, "NAME,...", GROUP_NETWORK, NETWORK | FACE_IMAGE | FACE_UPDATE, SETTING_OWN, 0, NULL, .parse = egress_flag_private, .repeated = true, .help = "these names of the list may have private addresses"},
	{"allow-host", 0, "PORT,...", GROUP_NETWORK, NETWORK | FACE_IMAGE | FACE_UPDATE, SETTING_OWN, 0, NULL, .parse = egress_flag_host, .repeated = true, .help = "ports of this machine's loopback, as host.glovebox.internal"},
	{"publish", 'p', "PORTS", GROUP_NETWORK, ANY | FACE_AGENT | FACE_UPDATE, SETTING_OWN, 0, NULL, .parse = egress_flag_publish, .repeated = true, .help = "[ADDRESS:][PORT:]PORT: publish a port on 127.0.0.1, and any free one, unless given"},
	{"publish-all", 'P', NULL, GROUP_NETWORK, FACE_RUN | FACE_CELL, SETTING_FLAG, AT(publish_all), NULL, .unfit = "name each port with -p", .help = "publish each port that the image exposes, on 127.0.0.1 and any free one"},
	{"egress-proxy", 0, "URL", GROUP_NETWORK, NETWORK | FACE_IMAGE, SETTING_OWN, 0, NULL, .parse = egress_flag_proxy, .choices = "http://|none", .words = "what proxy.url says", .help = "reach them through an HTTP proxy: http://HOST:PORT, or none"},
	{"egress-rate", 0, "SIZE", GROUP_NETWORK, NETWORK, SETTING_BYTES, AT(egress.rate_bytes), "0", .max = MAX_BYTES, .help = "bytes a second, both ways together; 0: no limit"},
	{"egress-bytes", 0, "SIZE", GROUP_NETWORK, NETWORK, SETTING_BYTES, AT(egress.total_bytes), "0", .max = MAX_BYTES, .help = "bytes in all, both ways together; 0: no limit"},
	{"egress-connections", 0, "N", GROUP_NETWORK, NETWORK, SETTING_COUNT, AT(egress.connections), "256", .min = 1, .max = EGRESS_MAX_CONNECTIONS, .help = "connections at once"},
	{"egress-log", 0, "FILE", GROUP_NETWORK, ANY | FACE_AGENT, SETTING_WRITTEN, AT(egress.log), NULL, .min = 1, .help = "write each connection and refusal there, as JSON lines, 1 MiB at most"},
	{"ca", 0, "FILE", GROUP_NETWORK, NETWORK | FACE_IMAGE, SETTING_OWN, 0, NULL, .parse = ca_flag, .words = "ca.pem", .help = "certificates (PEM) that pip, requests, curl, git, node trust too; or none"},
	{"network", 0, "none", GROUP_NETWORK, ANY, SETTING_OWN, 0, "none", .parse = program_flag_network, .choices = "none", .help = "only none, the default: loopback, and what --egress and -p give"},

	{"security-opt", 0, "OPTION", GROUP_CONFINEMENT, ANY, SETTING_OWN, 0, "seccomp=builtin", .parse = program_flag_security, .choices = "no-new-privileges|seccomp=builtin|seccomp=unconfined|seccomp=", .repeated = true, .help = "no-new-privileges; seccomp=FILE, builtin or unconfined"},
	{"read-only", 0, NULL, GROUP_CONFINEMENT, ANY, SETTING_OWN, 0, "true", .parse = program_flag_read_only, .help = "the root is read-only unless --writable is given"},
	{"cap-drop", 0, "CAPABILITY", GROUP_CONFINEMENT, ANY, SETTING_OWN, 0, "ALL", .parse = program_flag_cap_drop, .choices = "ALL", .repeated = true, .help = "accepted: no capability is ever kept"},
	{"warm", 0, "auto|never|require", GROUP_PROGRAM, ANY, SETTING_CHOICE, AT(warm), "auto", .choices = "auto|never|require", .help = "start as a copy of a warm Python (see glovebox warm)"},

	{"name", 0, "NAME", GROUP_DOCKER, ANY, SETTING_OWN, 0, NULL, .parse = program_flag_name, .help = "refused while a running sandbox has that name"},
	{"net", 0, "none", GROUP_ALIAS, ANY, SETTING_OWN, 0, NULL, .parse = program_flag_network, .choices = "none", .help = "--network"},
	SETTING_END,
  /* clang-format on */
};

struct setting_table run_settings_table(struct sandbox_spec *s)
{
	return (struct setting_table){run_settings, s, s ? s->given : NULL};
}
