/*
 * system - the routes about the Engine itself, and its networks.
 */
#include <string.h>
#include <sys/utsname.h>

#include "base/docker_release.h"
#include "base/json_put.h"
#include "engine/answer.h"
#include "engine/routes.h"
#include "engine/server.h"

#define COMMIT "glovebox-" GLOVEBOX_VERSION

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
	json_put(&body,
		 "{Platform:{Name:%s}, Components:[{Name:'Engine', Version:%s, Details:{"
		 "ApiVersion:%s, MinAPIVersion:%s, GoVersion:'none', GitCommit:%s, "
		 "BuildTime:'none', Os:'linux', Arch:%s, KernelVersion:%s, "
		 "Experimental:'false'}}]",
		 "glovebox " GLOVEBOX_VERSION, DOCKER_VERSION, ENGINE_API, ENGINE_API_LEAST, COMMIT,
		 DOCKER_ARCH, uts.release);
	json_put(&body,
		 "Version:%s, ApiVersion:%s, MinAPIVersion:%s, GitCommit:%s, GoVersion:'none', "
		 "Os:'linux', Arch:%s, KernelVersion:%s}",
		 DOCKER_VERSION, ENGINE_API, ENGINE_API_LEAST, COMMIT, DOCKER_ARCH, uts.release);
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
	json_put(out,
		 "{Name:%s, Id:%s, Created:'0001-01-01T00:00:00Z', Scope:'local', Driver:%s, "
		 "EnableIPv6:false, IPAM:{Driver:'default', Options:null, Config:[]}, "
		 "Internal:false, Attachable:false, Ingress:false, Containers:{}, Options:{}, "
		 "Labels:{}}",
		 networks[i].name, networks[i].id, networks[i].driver);
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
