/*
 * version - print versions and host facts, in docker's formats where scripts read them.
 */
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/docker_release.h"
#include "base/json.h"
#include "base/json_put.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/format.h"
#include "loop/clock.h"
#include "record/record.h"

#define API_VERSION "1.50" /* of that release */

/* clang-format off */
static const struct format_field version_fields[] = {
	{"Client.Version", DOCKER_VERSION}, {"Client.ApiVersion", API_VERSION},
	{"Client.Os", "linux"},             {"Client.Arch", DOCKER_ARCH},
	{"Server.Version", DOCKER_VERSION}, {"Server.ApiVersion", API_VERSION},
	{"Server.Os", "linux"},             {"Server.Arch", DOCKER_ARCH},
	{NULL, NULL},
};
/* clang-format on */

int print_version_line(void)
{
	/* Scripts cut the number out of docker's own sentence. */
	puts(invoked_as_docker() ? "Docker version " DOCKER_VERSION
				   ", build glovebox-" GLOVEBOX_VERSION
				 : "glovebox " GLOVEBOX_VERSION);
	return 0;
}

int command_version(int argc, char **argv)
{
	const char *template = NULL;
	struct err e;

	if (format_option(argc, argv, &template, &e))
		return fail_with(&e);
	if (template)
		return format_print(template, version_fields);
	if (!invoked_as_docker()) {
		puts("glovebox " GLOVEBOX_VERSION);
		return 0;
	}
	puts("Client: glovebox\n"
	     " Version:           " DOCKER_VERSION
	     "\n"
	     " API version:       " API_VERSION
	     "\n"
	     " OS/Arch:           linux/" DOCKER_ARCH
	     "\n"
	     "\nServer: glovebox " GLOVEBOX_VERSION
	     " (no daemon)\n"
	     " Engine:\n"
	     "  Version:          " DOCKER_VERSION
	     "\n"
	     "  API version:      " API_VERSION
	     "\n"
	     "  OS/Arch:          linux/" DOCKER_ARCH);
	return 0;
}

/* -- info ------------------------------------------------------------------------------------ */

struct version_count {
	unsigned all;
	unsigned running;
	unsigned paused;
};

static void version_count_one(void *context, const struct record *r)
{
	struct version_count *count = context;

	count->all++;
	count->paused += record_stands_still(r);
	count->running += record_runs(r) && !record_stands_still(r);
}

/* Clients warn of what is false, or missing. */
static void version_put_info(struct buf *out)
{
	struct version_count count = {0};
	char now[CLOCK_UTC_SIZE];
	struct utsname uts;
	struct err ignored;

	uname(&uts);
	clock_utc(now);
	(void)record_each(version_count_one, &count, &ignored);
	json_put(out,
		 "{ID:'glovebox', Containers:%u, ContainersRunning:%u, ContainersPaused:%u, "
		 "ContainersStopped:%u, ServerVersion:%s, OperatingSystem:%s, OSType:'linux', "
		 "Architecture:%s, KernelVersion:%s, Name:%s, NCPU:%ld, MemTotal:%ld",
		 count.all, count.running, count.paused, count.all - count.running - count.paused,
		 DOCKER_VERSION, "glovebox " GLOVEBOX_VERSION, uts.machine, uts.release,
		 uts.nodename, sysconf(_SC_NPROCESSORS_ONLN),
		 sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
	json_put(out,
		 "Driver:'glovebox', LoggingDriver:'json-file', CgroupDriver:'none', "
		 "CgroupVersion:%s, SystemTime:%s, MemoryLimit:true, SwapLimit:true, "
		 "PidsLimit:true, CpuCfsQuota:true, CpuCfsPeriod:true, CPUSet:true, "
		 "CPUShares:false, OomKillDisable:false, IPv4Forwarding:true, "
		 "BridgeNfIptables:true, BridgeNfIp6tables:true, ExperimentalBuild:false, "
		 "DefaultRuntime:'glovebox', "
		 "Runtimes:{}, Plugins:{}, SecurityOptions:['name=seccomp,profile=builtin', "
		 "'name=rootless'], Swarm:{LocalNodeState:'inactive'}, Warnings:[]}",
		 access("/sys/fs/cgroup/cgroup.controllers", F_OK) ? "1" : "2", now);
}

static int version_print_info(const struct buf *text, struct err *e)
{
	auto_json struct json *document = json_parse(text->data, text->length, e);

	if (!document)
		return -1;
	printf("Server: glovebox " GLOVEBOX_VERSION " (no daemon)\n");
	for (const struct json *m = json_first(document); m; m = json_next(m)) {
		auto_buf struct buf value = {0};

		if (json_is_array(m) || json_is_object(m))
			continue;
		if (!json_string(m))
			json_write(m, &value);
		printf(" %s: ", json_key(m));
		say_line(stdout, json_string(m) ? json_string(m) : buf_string(&value));
		putchar('\n');
	}
	return 0;
}

int command_info(int argc, char **argv)
{
	const char *template = NULL;
	auto_buf struct buf text = {0};
	struct err e;
	int status;

	if (format_option(argc, argv, &template, &e))
		return fail_with(&e);
	version_put_info(&text);
	status = template ? format_print_document(template, &text, &e)
			  : version_print_info(&text, &e);
	return status < 0 ? fail_with(&e) : status;
}
