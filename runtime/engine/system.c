/*
 * system - the routes about the Engine itself, and its networks.
 */
#include "engine/system.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/docker_release.h"
#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/server.h"
#include "loop/clock.h"
#include "record/record.h"

void system_ping(struct request *r)
{
	struct buf body = {0};

	request_set_header(r, "Cache-Control", "no-cache, no-store, must-revalidate");
	buf_text(&body, "OK");
	request_reply(r, 200, "text/plain; charset=utf-8", &body);
}

void system_version(struct request *r)
{
	struct utsname uts;
	struct buf body = {0};

	uname(&uts);
	json_put_begin(&body, NULL, '{');
	json_put_begin(&body, "Platform", '{');
	json_put_text(&body, "Name", "glovebox " GLOVEBOX_VERSION);
	json_put_end(&body, '}');
	json_put_begin(&body, "Components", '[');
	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "Name", "Engine");
	json_put_text(&body, "Version", DOCKER_VERSION);
	json_put_begin(&body, "Details", '{');
	json_put_text(&body, "ApiVersion", ENGINE_API);
	json_put_text(&body, "MinAPIVersion", ENGINE_API_LEAST);
	json_put_text(&body, "GoVersion", "none");
	json_put_text(&body, "GitCommit", "glovebox-" GLOVEBOX_VERSION);
	json_put_text(&body, "BuildTime", "none");
	json_put_text(&body, "Os", "linux");
	json_put_text(&body, "Arch", DOCKER_ARCH);
	json_put_text(&body, "KernelVersion", uts.release);
	json_put_text(&body, "Experimental", "false");
	json_put_end(&body, '}');
	json_put_end(&body, '}');
	json_put_end(&body, ']');
	json_put_text(&body, "Version", DOCKER_VERSION);
	json_put_text(&body, "ApiVersion", ENGINE_API);
	json_put_text(&body, "MinAPIVersion", ENGINE_API_LEAST);
	json_put_text(&body, "GitCommit", "glovebox-" GLOVEBOX_VERSION);
	json_put_text(&body, "GoVersion", "none");
	json_put_text(&body, "Os", "linux");
	json_put_text(&body, "Arch", DOCKER_ARCH);
	json_put_text(&body, "KernelVersion", uts.release);
	json_put_end(&body, '}');
	answer_json(r, 200, &body);
}

/* -- info ------------------------------------------------------------------------------------ */

struct system_count {
	uint64_t all;
	uint64_t running;
	uint64_t paused;
};

static void system_count_one(void *context, const struct record *r)
{
	struct system_count *count = context;

	count->all++;
	count->paused += record_stands_still(r);
	count->running += record_runs(r) && !record_stands_still(r);
}

/* Clients warn of what is false, or missing. */
static const struct {
	const char *name;
	bool value;
} truths[] = {
	{"MemoryLimit",       true },
        {"SwapLimit",         true },
        {"PidsLimit",         true },
	{"CpuCfsQuota",       true },
        {"CpuCfsPeriod",      true },
        {"CPUSet",            true },
	{"CPUShares",         false},
        {"OomKillDisable",    false},
        {"IPv4Forwarding",    true },
	{"BridgeNfIptables",  true },
        {"BridgeNfIp6tables", true },
        {"ExperimentalBuild", false},
};

void system_info(struct request *r)
{
	struct system_count count = {0};
	char now[CLOCK_UTC_SIZE];
	struct utsname uts;
	struct buf body = {0};
	struct err ignored;

	uname(&uts);
	clock_utc_at(clock_now_ms(), now);
	(void)record_each(system_count_one, &count, &ignored);
	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "ID", "glovebox");
	json_put_uint(&body, "Containers", count.all);
	json_put_uint(&body, "ContainersRunning", count.running);
	json_put_uint(&body, "ContainersPaused", count.paused);
	json_put_uint(&body, "ContainersStopped", count.all - count.running - count.paused);
	json_put_text(&body, "Driver", "glovebox");
	json_put_text(&body, "LoggingDriver", "json-file");
	json_put_text(&body, "CgroupDriver", "none");
	json_put_text(&body, "CgroupVersion",
		      access("/sys/fs/cgroup/cgroup.controllers", F_OK) ? "1" : "2");
	for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++)
		json_put_bool(&body, truths[i].name, truths[i].value);
	json_put_text(&body, "SystemTime", now);
	json_put_text(&body, "KernelVersion", uts.release);
	json_put_text(&body, "OperatingSystem", "glovebox " GLOVEBOX_VERSION);
	json_put_text(&body, "OSType", "linux");
	json_put_text(&body, "Architecture", uts.machine);
	json_put_text(&body, "Name", uts.nodename);
	json_put_uint(&body, "NCPU", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	json_put_uint(&body, "MemTotal",
		      (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
	json_put_text(&body, "ServerVersion", DOCKER_VERSION);
	json_put_text(&body, "DefaultRuntime", "glovebox");
	json_put_begin(&body, "Runtimes", '{');
	json_put_end(&body, '}');
	json_put_begin(&body, "Plugins", '{');
	json_put_end(&body, '}');
	json_put_begin(&body, "SecurityOptions", '[');
	json_put_text(&body, NULL, "name=seccomp,profile=builtin");
	json_put_text(&body, NULL, "name=rootless");
	json_put_end(&body, ']');
	json_put_begin(&body, "Swarm", '{');
	json_put_text(&body, "LocalNodeState", "inactive");
	json_put_end(&body, '}');
	json_put_begin(&body, "Warnings", '[');
	json_put_end(&body, ']');
	json_put_end(&body, '}');
	answer_json(r, 200, &body);
}

/* -- networks -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *id;
	const char *driver;
} networks[] = {
	{"bridge", "6272696467650000000000000000000000000000000000000000000000000000", "bridge"},
	{"none",   "6e6f6e6500000000000000000000000000000000000000000000000000000000", "null"  },
};

#define NETWORKS (sizeof(networks) / sizeof(networks[0]))

static void system_put_network(size_t i, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "Name", networks[i].name);
	json_put_text(out, "Id", networks[i].id);
	json_put_text(out, "Created", "0001-01-01T00:00:00Z");
	json_put_text(out, "Scope", "local");
	json_put_text(out, "Driver", networks[i].driver);
	json_put_bool(out, "EnableIPv6", false);
	json_put_begin(out, "IPAM", '{');
	json_put_text(out, "Driver", "default");
	json_put_null(out, "Options");
	json_put_begin(out, "Config", '[');
	json_put_end(out, ']');
	json_put_end(out, '}');
	json_put_bool(out, "Internal", false);
	json_put_bool(out, "Attachable", false);
	json_put_bool(out, "Ingress", false);
	json_put_begin(out, "Containers", '{');
	json_put_end(out, '}');
	json_put_begin(out, "Options", '{');
	json_put_end(out, '}');
	json_put_begin(out, "Labels", '{');
	json_put_end(out, '}');
	json_put_end(out, '}');
}

void system_networks(struct request *r)
{
	struct buf body = {0};

	json_put_begin(&body, NULL, '[');
	for (size_t i = 0; i < NETWORKS; i++)
		system_put_network(i, &body);
	json_put_end(&body, ']');
	answer_json(r, 200, &body);
}

void system_network(struct request *r)
{
	const char *word = r->segments[0];
	struct buf body = {0};

	for (size_t i = 0; i < NETWORKS; i++) {
		if (strcmp(word, networks[i].name) != 0 && strcmp(word, networks[i].id) != 0)
			continue;
		system_put_network(i, &body);
		answer_json(r, 200, &body);
		return;
	}
	request_refuse(r, 404, "network %s not found", word);
}

void system_refuse_networks(struct request *r)
{
	request_refuse(r, 400,
		       "there are two networks, and none is made here: none, and bridge, which is "
		       "a list of hosts (--egress) and ports that are published");
}

/* Clients ask for one when nothing else has a name: only 404 lets them go on. */
void system_no_plugin(struct request *r)
{
	request_refuse(r, 404, "plugin \"%s\" not found", r->segments[0]);
}
