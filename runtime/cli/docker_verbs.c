/*
 * docker_verbs - commands of docker's and of similar tools that are none of ours.
 */
#include "cli/docker_verbs.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"

struct verb {
	const char *name;
	const char *image;   /* `glovebox image` does it, under this name */
	const char *instead; /* what serves here */
};

/* clang-format off */
#define PRUNE    "container prune removes what is kept of sandboxes that have ended, image prune images"
#define NO_ENTRY "nobody enters a running sandbox; glovebox session new and exec keep a Python between calls"
#define BUILD    "docker build makes one image from one Dockerfile"
#define REGISTRY "a registry is only pulled from; glovebox image import takes an archive of docker save"
#define NETWORK  "a sandbox is in no network; glovebox run --egress LIST names what it may reach"
#define CLUSTER  "there is one machine and no daemon"
#define SHELL    "glovebox run -it IMAGE bash is a shell in a sandbox; glovebox session repl is a Python"
#define PYTHON   "glovebox run --code FILE python runs a script; glovebox session repl is a Python at the terminal"
#define PACKAGES "glovebox image build slim --pip NAME makes an image that has a package"
#define ITSELF   "glovebox is brought up to date as it was installed, by a Debian package or by make install"
#define COMPLETE "glovebox generate bash-completion prints bash's, glovebox generate zsh-completion zsh's"

static const struct verb verbs[] = {
	{"load",       "load",    NULL},
	{"import",     "import",  NULL},
	{"rmi",        "rm",      NULL},
	{"tag",        "tag",     NULL},
	{"build",      "build",   NULL},
	{"bake",       NULL, BUILD},
	{"bash",       NULL, SHELL},
	{"builder",    NULL, BUILD},
	{"buildx",     NULL, BUILD},
	{"checkpoint", NULL, "sessions have it: glovebox session checkpoint, glovebox session rollback"},
	{"completion", NULL, COMPLETE},
	{"completions", NULL, COMPLETE},
	{"compose",    NULL, "there are no services; start each program with a run of its own"},
	{"config",     NULL, CLUSTER},
	{"container",  NULL, "run, ls, and what is done to a sandbox that stays, are as without the word, and prune removes what has ended; every other docker container COMMAND says what to use here"},
	{"context",    NULL, CLUSTER},
	{"docker",     NULL, "glovebox has docker's commands itself: glovebox run, glovebox image; docs/docker.md has the name docker"},
	{"fish",       NULL, COMPLETE},
	{"history",    NULL, "an image has no layers here; docker image inspect shows its configuration"},
	{"install",    NULL, PACKAGES},
	{"login",      NULL, "skopeo login does it, for docker pull"},
	{"logout",     NULL, "skopeo logout does it"},
	{"ls",         NULL, "docker ps lists what runs"},
	{"manifest",   NULL, REGISTRY},
	{"network",    NULL, NETWORK},
	{"node",       NULL, CLUSTER},
	{"pip",        NULL, PACKAGES},
	{"plugin",     NULL, CLUSTER},
	{"push",       NULL, REGISTRY},
	{"python",     NULL, PYTHON},
	{"python3",    NULL, PYTHON},
	{"repl",       NULL, PYTHON},
	{"save",       "save",    NULL},
	{"search",     NULL, REGISTRY},
	{"secret",     NULL, CLUSTER},
	{"service",    NULL, CLUSTER},
	{"sh",         NULL, SHELL},
	{"shell",      NULL, SHELL},
	{"stack",      NULL, CLUSTER},
	{"swarm",      NULL, CLUSTER},
	{"system",     NULL, PRUNE "; docker info and glovebox doctor tell about this machine"},
	{"trust",      NULL, REGISTRY},
	{"upgrade",    NULL, ITSELF},
	{NULL,         NULL, NULL},
};
/* clang-format on */

static const struct verb *docker_verbs_find(const char *name)
{
	for (const struct verb *v = verbs; v->name; v++) {
		if (!strcmp(v->name, name))
			return v;
	}
	return NULL;
}

/* "rmi x" is "image rm x". */
static int docker_verbs_image(const struct verb *v, int argc, char **argv)
{
	auto_free char **words = own_zeroed((size_t)argc + 2, sizeof(*words));

	words[0] = (char *)"image";
	words[1] = (char *)v->image;
	memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof(*words));
	return command_image(argc + 1, words);
}

/* Somebody who asks for help is told on stdout, and all is well. */
static int docker_verbs_say(const struct verb *v, const char *name, bool asked)
{
	struct err e;

	if (asked) {
		fputs("no \"", stdout);
		say_line(stdout, name);
		printf("\" here: %s\n", v->instead);
		return 0;
	}
	err_set(&e, ERR_UNSUPPORTED, "no \"%s\" here: %s", name, v->instead);
	return fail_with(&e);
}

/* "buildx build" is "build". */
static bool docker_verbs_is_build(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], "build") &&
	       (!strcmp(argv[0], "buildx") || !strcmp(argv[0], "builder"));
}

const char *const docker_container_verbs[] = {
	"run",   "ps",    "kill",   "stop",    "exec", "logs",    "attach", "start", "restart",
	"stats", "top",   "pause",  "unpause", "rm",   "inspect", "wait",   "cp",    "create",
	"port",  "prune", "rename", "update",  "diff", "export",  "commit", NULL};

/* The command of ours that "container NAME" is; NULL: none. */
static const struct command *docker_verbs_container(const char *name)
{
	struct err ignored;

	if (!strcmp(name, "ls") || !strcmp(name, "list"))
		name = "ps";
	for (const char *const *same = docker_container_verbs; *same; same++) {
		if (!strcmp(name, *same))
			return find_command(commands, "", name, &ignored);
	}
	return NULL;
}

/* "system info" is "info". */
static bool docker_verbs_is_ours(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[0], "system") &&
	       (!strcmp(argv[1], "info") || !strcmp(argv[1], "events"));
}

/* "container inspect" finds no image of the name. */
static int docker_verbs_run_container(const struct command *c, int argc, char **argv)
{
	auto_free char **words = own_zeroed((size_t)argc + 2, sizeof(*words));

	if (c->run != command_inspect)
		return run_command(c, argc, argv);
	words[0] = argv[0];
	words[1] = (char *)"--type=container";
	memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof(*words));
	return run_command(c, argc + 1, words);
}

int docker_verb(int argc, char **argv)
{
	bool container = argc > 1 && !strcmp(argv[0], "container") && argv[1][0] != '-';
	const char *name = argv[container];
	const char *next = argc > container + 1 ? argv[container + 1] : "";
	const struct verb *v = docker_verbs_find(name);
	struct err ignored;

	if (docker_verbs_is_ours(argc, argv))
		return run_command(find_command(commands, "", argv[1], &ignored), argc - 1,
				   argv + 1);
	if (docker_verbs_is_build(argc, argv))
		return docker_verb(argc - 1, argv + 1);
	if (container && docker_verbs_container(name))
		return docker_verbs_run_container(docker_verbs_container(name), argc - 1, argv + 1);
	if (!v && container)
		v = docker_verbs_find(argv[0]);
	if (!v)
		return -1;
	if (v->image && !container)
		return docker_verbs_image(v, argc, argv);
	return docker_verbs_say(v, name, !strcmp(next, "--help") || !strcmp(next, "-h"));
}

int docker_verb_help(int argc, char **argv)
{
	auto_free char **words = own_zeroed((size_t)argc + 2, sizeof(*words));

	memcpy(words, argv, (size_t)argc * sizeof(*words));
	words[argc] = (char *)"--help";
	return docker_verb(argc + 1, words);
}

const char *docker_verb_of_image(const char *name)
{
	const struct verb *v = docker_verbs_find(name);

	return v ? v->image : NULL;
}

void docker_verbs_tell(void (*tell)(const char *name))
{
	for (const struct verb *v = verbs; v->name; v++) {
		if (v->image)
			tell(v->name);
	}
	tell("container");
}
