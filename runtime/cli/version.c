/*
 * version - print versions and host facts, in docker's formats where scripts read them.
 */
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/docker_release.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/format.h"

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

static void version_print_field(const struct format_field *f)
{
	printf(" %s: ", f->name);
	say_line(stdout, f->value);
	putchar('\n');
}

int command_info(int argc, char **argv)
{
	const char *template = NULL;
	char cpus[16];
	char memory[32];
	struct utsname uts;
	struct err e;

	if (format_option(argc, argv, &template, &e))
		return fail_with(&e);
	uname(&uts);
	snprintf(cpus, sizeof(cpus), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	snprintf(memory, sizeof(memory), "%lld",
		 (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
	{
		const struct format_field fields[] = {
			{"ServerVersion", DOCKER_VERSION           },
			{"OSType",        "linux"                  },
			{"Architecture",  uts.machine              },
			{"KernelVersion", uts.release              },
			{"NCPU",          cpus                     },
			{"MemTotal",      memory                   },
			{"Driver",        "glovebox"               },
			{"Name",          uts.nodename             },
			{"CgroupVersion",
			 access("/sys/fs/cgroup/cgroup.controllers", F_OK) ? "1" : "2"},
			{NULL,               NULL				    },
		};

		if (template)
			return format_print(template, fields);
		printf("Server: glovebox " GLOVEBOX_VERSION " (no daemon)\n");
		for (const struct format_field *f = fields; f->name; f++)
			version_print_field(f);
	}
	return 0;
}
