/*
 * run_settings - every flag of `glovebox run`, one row each.
 */
#include "base/parse.h"
#include "spec/limit_flags.h"
#include "spec/mount_flags.h"
#include "spec/program_flags.h"
#include "spec/setting.h"

#define SWITCH(name, field)                                                                        \
	static int name(struct sandbox_spec *s, const char *value, struct err *e)                  \
	{                                                                                          \
		return parse_bool(value, &s->field, e);                                            \
	}

SWITCH(set_interactive, interactive)
SWITCH(set_tty, tty)
SWITCH(set_json, json)
SWITCH(set_explain, explain)
SWITCH(set_quiet, quiet)
SWITCH(set_remove, remove)
SWITCH(set_init, init)

const char *const setting_group_titles[GROUP_COUNT] = {
	[GROUP_PROGRAM] = "The program",
	[GROUP_FILES] = "Files",
	[GROUP_LIMITS] = "Limits",
	[GROUP_CONFINEMENT] = "Confinement",
	[GROUP_RESULT] = "Results",
	[GROUP_DOCKER] = "Accepted as docker run has them",
	[GROUP_REFUSED] = "Refused, by name",
	[GROUP_ALIAS] = "Other spellings",
};

#define NO_NET  "a sandbox has loopback only"
#define NO_PRIV "nothing may widen a sandbox towards the host"
#define NO_LIFE "a sandbox lives as long as its command line"

const struct setting run_settings[] = {
  /* clang-format off */
	{"code", 0, "FILE|-", GROUP_PROGRAM, NULL, "run this Python file (or standard input) as /code/script.py", program_flag_code},
	{"env", 'e', "KEY[=VALUE]", GROUP_PROGRAM, NULL, "set a variable; a bare KEY is copied from your environment", program_flag_env},
	{"env-file", 0, "FILE", GROUP_PROGRAM, NULL, "read KEY=VALUE lines", program_flag_env_file},
	{"entrypoint", 0, "PROGRAM", GROUP_PROGRAM, NULL, "replace the image's entrypoint and drop its command", program_flag_entrypoint},
	{"workdir", 'w', "PATH", GROUP_PROGRAM, "the image's", "working directory inside; made if missing", program_flag_workdir},
	{"user", 'u', "USER[:GROUP]", GROUP_PROGRAM, "1000:1000", "user inside, by name or number", program_flag_user},
	{"hostname", 'h', "NAME", GROUP_PROGRAM, "sandbox", "host name inside", program_flag_hostname},
	{"interactive", 'i', NULL, GROUP_PROGRAM, NULL, "pass standard input to the program", set_interactive},
	{"tty", 't', NULL, GROUP_PROGRAM, NULL, "give the program a terminal made inside the sandbox", set_tty},
	{"stop-signal", 0, "SIGNAL", GROUP_PROGRAM, "SIGTERM", "sent before the kill when --stop-timeout is set", program_flag_stop_signal},
	{"stop-timeout", 0, "DURATION", GROUP_PROGRAM, "0", "grace between the stop signal and the kill", program_flag_stop_timeout},

	{"volume", 'v', "SRC:DST[:ro]", GROUP_FILES, NULL, "mount a host file or directory", mount_flag_volume},
	{"mount", 0, "type=bind|tmpfs,...", GROUP_FILES, NULL, "the same, spelled out; a missing source is an error", mount_flag_mount},
	{"tmpfs", 0, "PATH[:OPTIONS]", GROUP_FILES, "/tmp:size=64m", "a directory in memory; docker's options and nr_inodes", mount_flag_tmpfs},
	{"workspace", 0, "DIR", GROUP_FILES, NULL, "mount DIR read-only at /data", mount_flag_workspace},
	{"output", 0, "DIR[,size=,files=]", GROUP_FILES, "size=256m,files=1000", "collect what the program leaves in /output", mount_flag_output},
	{"shm-size", 0, "SIZE", GROUP_FILES, "64m", "size of /dev/shm", limit_flag_shm},

	{"memory", 'm', "SIZE", GROUP_LIMITS, "512m", "memory of all processes and tmpfs together; 0: no limit", limit_flag_memory},
	{"memory-swap", 0, "SIZE", GROUP_LIMITS, "no swap", "memory and swap together; -1: no limit", limit_flag_memory_swap},
	{"cpus", 0, "N", GROUP_LIMITS, "1", "processors' worth of time; 0: no limit", limit_flag_cpus},
	{"cpu-period", 0, "MICROSECONDS", GROUP_LIMITS, "100000", "accounting period of --cpu-quota", limit_flag_cpu_period},
	{"cpu-quota", 0, "MICROSECONDS", GROUP_LIMITS, NULL, "time per period; -1: no limit", limit_flag_cpu_quota},
	{"cpuset-cpus", 0, "LIST", GROUP_LIMITS, NULL, "processors that may be used, such as 0-2,4", limit_flag_cpuset},
	{"pids-limit", 0, "N", GROUP_LIMITS, "64", "processes and threads; 0 or -1: no limit", limit_flag_pids},
	{"timeout", 0, "DURATION", GROUP_LIMITS, NULL, "wall clock; then everything is killed, exit 124", limit_flag_timeout},
	{"cpu-time", 0, "DURATION", GROUP_LIMITS, NULL, "processor time of all processes together", limit_flag_cpu_time},
	{"output-limit", 0, "SIZE", GROUP_LIMITS, "64m", "of stdout and of stderr; the rest is dropped", limit_flag_output},
	{"ulimit", 0, "NAME=SOFT[:HARD]", GROUP_LIMITS, "nofile=1024:4096, ...", "limit per process (nofile, fsize, cpu, as, ...)", limit_flag_ulimit},

	{"security-opt", 0, "OPTION", GROUP_CONFINEMENT, "seccomp=builtin", "no-new-privileges; seccomp=FILE, builtin or unconfined", program_flag_security},
	{"network", 0, "none", GROUP_CONFINEMENT, "none", "only none: " NO_NET, program_flag_network},
	{"read-only", 0, NULL, GROUP_CONFINEMENT, "true", "the root is always read-only", program_flag_read_only},
	{"cap-drop", 0, "CAPABILITY", GROUP_CONFINEMENT, "ALL", "accepted: no capability is ever kept", program_flag_cap_drop},
	{"warm", 0, "auto|never|require", GROUP_PROGRAM, "auto", "begin as a copy of a warm Python (glovebox warm)", program_flag_warm},
	{"explain", 0, NULL, GROUP_CONFINEMENT, NULL, "print what would be done, and do nothing", set_explain},

	{"json", 0, NULL, GROUP_RESULT, NULL, "print one JSON object instead of the program's output", set_json},
	{"result-file", 0, "FILE", GROUP_RESULT, NULL, "write that object to a file, beside the normal output", program_flag_result_file},
	{"quiet", 'q', NULL, GROUP_RESULT, NULL, "no messages about limits on stderr", set_quiet},

	{"rm", 0, NULL, GROUP_DOCKER, "true", "always in effect: nothing of a sandbox is kept", set_remove},
	{"init", 0, NULL, GROUP_DOCKER, "true", "always in effect: pid 1 reaps and forwards signals", set_init},
	{"name", 0, "NAME", GROUP_DOCKER, NULL, "refused when a running sandbox has it", program_flag_name},
	{"label", 'l', "KEY[=VALUE]", GROUP_DOCKER, NULL, "recorded in the result", program_flag_label},
	{"cidfile", 0, "FILE", GROUP_DOCKER, NULL, "write the sandbox's id; the file must not exist", program_flag_cidfile},
	{"pull", 0, "missing|never", GROUP_DOCKER, "missing", "images are never fetched by a run", program_flag_pull},
	{"platform", 0, "OS/ARCH", GROUP_DOCKER, NULL, "this machine's only", program_flag_platform},
	{"net", 0, "none", GROUP_ALIAS, NULL, "--network", program_flag_network},

	{"privileged", 0, NULL, GROUP_REFUSED, NULL, NO_PRIV, NULL},
	{"cap-add", 0, "CAPABILITY", GROUP_REFUSED, NULL, "a sandbox never holds a capability", NULL},
	{"device", 0, "PATH", GROUP_REFUSED, NULL, NO_PRIV, NULL},
	{"gpus", 0, "WHICH", GROUP_REFUSED, NULL, "devices are not passed into a sandbox", NULL},
	{"pid", 0, "MODE", GROUP_REFUSED, NULL, "a sandbox always has its own pid namespace", NULL},
	{"ipc", 0, "MODE", GROUP_REFUSED, NULL, "a sandbox always has its own ipc namespace", NULL},
	{"uts", 0, "MODE", GROUP_REFUSED, NULL, "a sandbox always has its own uts namespace; see --hostname", NULL},
	{"userns", 0, "MODE", GROUP_REFUSED, NULL, "a sandbox always has its own user namespace", NULL},
	{"cgroupns", 0, "MODE", GROUP_REFUSED, NULL, "a sandbox always has its own cgroup namespace", NULL},
	{"cgroup-parent", 0, "PATH", GROUP_REFUSED, NULL, "set GLOVEBOX_CGROUP in the environment instead", NULL},
	{"publish", 'p', "PORTS", GROUP_REFUSED, NULL, NO_NET, NULL},
	{"publish-all", 'P', NULL, GROUP_REFUSED, NULL, NO_NET, NULL},
	{"expose", 0, "PORT", GROUP_REFUSED, NULL, NO_NET, NULL},
	{"dns", 0, "ADDRESS", GROUP_REFUSED, NULL, NO_NET, NULL},
	{"add-host", 0, "HOST:IP", GROUP_REFUSED, NULL, NO_NET, NULL},
	{"link", 0, "NAME", GROUP_REFUSED, NULL, NO_NET, NULL},
	{"detach", 'd', NULL, GROUP_REFUSED, NULL, NO_LIFE "; put & behind it", NULL},
	{"restart", 0, "POLICY", GROUP_REFUSED, NULL, NO_LIFE, NULL},
	{"volumes-from", 0, "NAME", GROUP_REFUSED, NULL, "name the directories with -v", NULL},
	{"volume-driver", 0, "NAME", GROUP_REFUSED, NULL, "only directories can be mounted, with -v", NULL},
	{"group-add", 0, "GROUP", GROUP_REFUSED, NULL, "a sandbox has one group; see --user", NULL},
	{"runtime", 0, "NAME", GROUP_REFUSED, NULL, "glovebox is the runtime", NULL},
	{"isolation", 0, "KIND", GROUP_REFUSED, NULL, "glovebox is the isolation", NULL},
	{"log-driver", 0, "NAME", GROUP_REFUSED, NULL, "output goes to stdout and stderr, or to --json", NULL},
	{"memory-reservation", 0, "SIZE", GROUP_REFUSED, NULL, "only the hard limit --memory is offered", NULL},
	{"oom-kill-disable", 0, NULL, GROUP_REFUSED, NULL, "a sandbox over its memory limit is always killed", NULL},
	{"sysctl", 0, "KEY=VALUE", GROUP_REFUSED, NULL, "kernel settings are not changed for a sandbox", NULL},
	{"health-cmd", 0, "COMMAND", GROUP_REFUSED, NULL, NO_LIFE, NULL},
	{NULL, 0, NULL, GROUP_COUNT, NULL, NULL, NULL},
  /* clang-format on */
};
