/*
 * docker_settings - flags of docker run that change nothing here. With run_settings.c and the rows
 * of a face this is all of `docker run --help` (28.2), so glovebox knows every flag of docker run.
 */
#include "flags/docker_settings.h"

#include "spec/program_flags.h"

#define ANY       (FACE_RUN | FACE_CELL | FACE_SESSION)
#define NO_NET    "a sandbox is in no network; --egress LIST names what it may reach"
#define NO_DNS    "accepted: names of --egress are looked up as this machine does it"
#define NO_PRIV   "nothing may open a sandbox to the host"
#define NO_DEVICE "devices are not passed into a sandbox"
#define OWN_SPACE "a sandbox always has its own; --hostname names its host"
#define NO_LIFE   "systemd does it, by what \"glovebox generate unit NAME\" prints"
#define NO_HEALTH "accepted: nobody asks a sandbox for its health"
#define NO_DISK   "no bandwidth of a disk is divided or limited"
#define WINDOWS   "for Windows only"

const struct setting docker_settings[] = {
  /* clang-format off */
	{"init", 0, NULL, GROUP_DOCKER, ANY, SETTING_MOOT, 0, "true", .harmless = "*", .help = "always in effect: pid 1 reaps, and forwards with --sig-proxy"},
	{"attach", 'a', "STREAM", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "stdin|stdout|stderr|STDIN|STDOUT|STDERR", .words = "stdin with -i, stdout, stderr", .help = "all streams are always attached"},
	{"pull", 0, "missing|never", GROUP_DOCKER, ANY, SETTING_OWN, 0, "missing", .parse = program_flag_pull, .choices = "missing|never", .help = "images are never fetched by a run"},
	{"platform", 0, "OS/ARCH", GROUP_DOCKER, ANY, SETTING_OWN, 0, NULL, .parse = program_flag_platform, .choices = "linux", .blank = true, .help = "only that of this machine"},
	{"log-driver", 0, "NAME", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "none|local|json-file", .help = "output goes to stdout and stderr, or into --json"},
	{"log-opt", 0, "KEY=VALUE", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: --output-limit is the size of a log"},
	{"annotation", 0, "KEY=VALUE", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: there is no OCI runtime to read it; see --label"},
	{"detach-keys", 0, "KEYS", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: no keys detach"},
	{"disable-content-trust", 0, NULL, GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: nothing is fetched"},
	{"oom-score-adj", 0, "N", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: over its memory limit a sandbox ends as a whole"},
	{"no-healthcheck", 0, NULL, GROUP_DOCKER, ANY, SETTING_MOOT, 0, "true", .harmless = "*", .help = NO_HEALTH},
	{"health-cmd", 0, "COMMAND", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = NO_HEALTH},
	{"health-interval", 0, "DURATION", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = NO_HEALTH},
	{"health-retries", 0, "N", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = NO_HEALTH},
	{"health-start-interval", 0, "DURATION", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = NO_HEALTH},
	{"health-start-period", 0, "DURATION", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = NO_HEALTH},
	{"health-timeout", 0, "DURATION", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = NO_HEALTH},
	{"dns", 0, "ADDRESS", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = NO_DNS},
	{"dns-opt", 0, "OPTION", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = NO_DNS},
	{"dns-option", 0, "OPTION", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = NO_DNS},
	{"dns-search", 0, "DOMAIN", GROUP_DOCKER, ANY, SETTING_MOOT, 0, NULL, .harmless = "*", .help = NO_DNS},

	{"privileged", 0, NULL, GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_PRIV},
	{"cap-add", 0, "CAPABILITY", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = "a sandbox never holds a capability"},
	{"device", 0, "PATH", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_DEVICE},
	{"device-cgroup-rule", 0, "RULE", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_DEVICE},
	{"use-api-socket", 0, NULL, GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_PRIV},
	{"gpus", 0, "WHICH", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_DEVICE},
	{"pid", 0, "MODE", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "private", .help = OWN_SPACE},
	{"ipc", 0, "MODE", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "private|none|shareable", .help = OWN_SPACE},
	{"uts", 0, "MODE", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "private", .help = OWN_SPACE},
	{"userns", 0, "MODE", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "private", .help = OWN_SPACE},
	{"cgroupns", 0, "MODE", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "private", .help = OWN_SPACE},
	{"cgroup-parent", 0, "PATH", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = "set GLOVEBOX_CGROUP in the environment instead"},
	{"expose", 0, "PORT", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = "-p names each port that is to be reached"},
	{"add-host", 0, "HOST:IP", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "host.docker.internal:host-gateway", .help = "--egress names hosts; --allow-host PORT reaches this machine as host.docker.internal"},
	{"ip", 0, "ADDRESS", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_NET},
	{"ip6", 0, "ADDRESS", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_NET},
	{"link", 0, "NAME", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_NET},
	{"link-local-ip", 0, "ADDRESS", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_NET},
	{"mac-address", 0, "ADDRESS", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_NET},
	{"net-alias", 0, "NAME", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_NET},
	{"network-alias", 0, "NAME", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_NET},
	{"domainname", 0, "NAME", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = "no NIS domain is set; --hostname takes a name with dots"},
	{"restart", 0, "POLICY", GROUP_REFUSED, ANY | FACE_UPDATE, SETTING_MOOT, 0, NULL, .harmless = "no", .help = NO_LIFE},
	{"volumes-from", 0, "NAME", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = "name the directories with -v"},
	{"volume-driver", 0, "NAME", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "local", .help = "volumes are directories of this machine"},
	{"storage-opt", 0, "KEY=VALUE", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = "the root is read-only; --tmpfs PATH:size=SIZE bounds what is not"},
	{"label-file", 0, "FILE", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = "give each with --label"},
	{"group-add", 0, "GROUP", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = "a sandbox has one group; see --user"},
	{"runtime", 0, "NAME", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "runc|crun|io.containerd.runc.v2", .help = "glovebox is the runtime"},
	{"isolation", 0, "KIND", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "default", .help = "glovebox is the isolation"},
	{"cpu-shares", 'c', "N", GROUP_REFUSED, ANY | FACE_UPDATE, SETTING_MOOT, 0, NULL, .harmless = "0|1024", .help = "only a hard limit is offered, --cpus; code is an argument of the program: IMAGE python3 -c CODE"},
	{"cpu-rt-period", 0, "MICROSECONDS", GROUP_REFUSED, ANY | FACE_UPDATE, SETTING_MOOT, 0, NULL, .harmless = "0", .help = "nothing runs in real time"},
	{"cpu-rt-runtime", 0, "MICROSECONDS", GROUP_REFUSED, ANY | FACE_UPDATE, SETTING_MOOT, 0, NULL, .harmless = "0", .help = "nothing runs in real time"},
	{"cpuset-mems", 0, "LIST", GROUP_REFUSED, ANY | FACE_UPDATE, SETTING_MOOT, 0, NULL, .help = "memory is of any node; --cpuset-cpus chooses CPUs"},
	{"memory-reservation", 0, "SIZE", GROUP_REFUSED, ANY | FACE_UPDATE, SETTING_MOOT, 0, NULL, .harmless = "0", .help = "only the hard limit --memory is offered"},
	{"kernel-memory", 0, "SIZE", GROUP_REFUSED, ANY | FACE_UPDATE, SETTING_MOOT, 0, NULL, .harmless = "0|-1", .help = "what the kernel holds for a sandbox is part of --memory"},
	{"memory-swappiness", 0, "PERCENT", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "0|-1", .help = "only the hard limit --memory-swap is offered"},
	{"oom-kill-disable", 0, NULL, GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = "a sandbox over its memory limit is always killed"},
	{"blkio-weight", 0, "N", GROUP_REFUSED, ANY | FACE_UPDATE, SETTING_MOOT, 0, NULL, .harmless = "0", .help = NO_DISK},
	{"blkio-weight-device", 0, "PATH:N", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_DISK},
	{"device-read-bps", 0, "PATH:N", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_DISK},
	{"device-read-iops", 0, "PATH:N", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_DISK},
	{"device-write-bps", 0, "PATH:N", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_DISK},
	{"device-write-iops", 0, "PATH:N", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = NO_DISK},
	{"sysctl", 0, "KEY=VALUE", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .help = "kernel settings are not changed for a sandbox"},
	{"cpu-count", 0, "N", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "0", .help = WINDOWS},
	{"cpu-percent", 0, "N", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "0", .help = WINDOWS},
	{"io-maxbandwidth", 0, "N", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "0", .help = WINDOWS},
	{"io-maxiops", 0, "N", GROUP_REFUSED, ANY, SETTING_MOOT, 0, NULL, .harmless = "0", .help = WINDOWS},
	SETTING_END,
  /* clang-format on */
};
