/*
 * create_fields - members of the body of a create, and the flag of `docker create` that each is.
 */
#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "engine/answer.h"
#include "engine/create.h"

/* -- members that are flags ------------------------------------------------------------------ */

static void create_fields_add(const struct create_words *w, const struct create_field *f,
			      const char *text)
{
	list_addf(w->out, "--%s=%s", f->flag, text);
}

static int create_fields_text(const struct create_words *w, const struct create_field *f,
			      const struct json *value)
{
	const char *text = json_string(value);

	if (!text)
		return create_wrong(w, f, "a string");
	if (*text)
		create_fields_add(w, f, text);
	return 0;
}

static int create_fields_part(const struct create_words *w, const struct create_field *f,
			      const struct json *value, const char *member)
{
	const char *text = answer_member_text(value, member);

	if (!json_is_object(value))
		return create_wrong(w, f, "an object");
	if (*text)
		create_fields_add(w, f, text);
	return 0;
}

static int create_fields_restart(const struct create_words *w, const struct create_field *f,
				 const struct json *value)
{
	return create_fields_part(w, f, value, "Name");
}

static int create_fields_log(const struct create_words *w, const struct create_field *f,
			     const struct json *value)
{
	return create_fields_part(w, f, value, "Type");
}

/* 0 is Docker's word for the default. */
static int create_fields_number(const struct create_words *w, const struct create_field *f,
				const struct json *value)
{
	double number;

	if (json_double(value, &number) || number != (double)(int64_t)number)
		return create_wrong(w, f, "a whole number");
	if (number != 0)
		list_addf(w->out, "--%s=%" PRId64, f->flag, (int64_t)number);
	return 0;
}

static int create_fields_true(const struct create_words *w, const struct create_field *f,
			      const struct json *value)
{
	if (!json_is_bool(value))
		return create_wrong(w, f, "true or false");
	if (json_is_true(value))
		list_addf(w->out, "--%s", f->flag);
	return 0;
}

static int create_fields_one_text(const struct create_words *w, const struct create_field *f,
				  const struct json *item)
{
	return create_fields_add(w, f, json_string(item)), 0;
}

/* @one: of each, which is a string. */
static int create_fields_list(const struct create_words *w, const struct create_field *f,
			      const struct json *value,
			      int (*one)(const struct create_words *w, const struct create_field *f,
					 const struct json *item))
{
	for (const struct json *item = json_first(value); item; item = json_next(item)) {
		if (!json_string(item))
			return create_wrong(w, f, "a list of strings");
	}
	return create_each(w, f, value, "a list of strings", one);
}

static int create_fields_texts(const struct create_words *w, const struct create_field *f,
			       const struct json *value)
{
	return create_fields_list(w, f, value, create_fields_one_text);
}

static int create_fields_map(const struct create_words *w, const struct create_field *f,
			     const struct json *value, char between)
{
	if (!json_is_object(value))
		return create_wrong(w, f, "an object of strings");
	for (const struct json *item = json_first(value); item; item = json_next(item)) {
		const char *text = json_string(item);

		if (!text)
			return create_wrong(w, f, "an object of strings");
		if (*text || between == '=')
			list_addf(w->out, "--%s=%s%c%s", f->flag, json_key(item), between, text);
		else
			create_fields_add(w, f, json_key(item));
	}
	return 0;
}

static int create_fields_pairs(const struct create_words *w, const struct create_field *f,
			       const struct json *value)
{
	return create_fields_map(w, f, value, '=');
}

static int create_fields_paths(const struct create_words *w, const struct create_field *f,
			       const struct json *value)
{
	return create_fields_map(w, f, value, ':');
}

/* -- members of their own -------------------------------------------------------------------- */

/* A bare KEY is left out: on the command line it would be copied from this process. */
static int create_fields_variable(const struct create_words *w, const struct create_field *f,
				  const struct json *item)
{
	if (strchr(json_string(item), '='))
		create_fields_add(w, f, json_string(item));
	return 0;
}

static int create_fields_env(const struct create_words *w, const struct create_field *f,
			     const struct json *value)
{
	return create_fields_list(w, f, value, create_fields_variable);
}

static int create_fields_no_network(const struct create_words *w, const struct create_field *f,
				    const struct json *value)
{
	if (!json_is_bool(value))
		return create_wrong(w, f, "true or false");
	if (json_is_true(value))
		create_fields_add(w, f, "none");
	return 0;
}

/* The Engine's words for its default; any other is judged by the command. */
static int create_fields_network(const struct create_words *w, const struct create_field *f,
				 const struct json *value)
{
	const char *mode = json_string(value);

	return mode && (!strcmp(mode, "default") || !strcmp(mode, "bridge"))
		       ? 0
		       : create_fields_text(w, f, value);
}

static int create_fields_nano(const struct create_words *w, const struct create_field *f,
			      const struct json *value)
{
	uint64_t nano;

	if (json_number(value, &nano))
		return create_wrong(w, f, "a whole number, 0 or more");
	if (nano)
		list_addf(w->out, "--%s=%" PRIu64 ".%09" PRIu64, f->flag, nano / 1000000000,
			  nano % 1000000000);
	return 0;
}

#define ULIMITS "a list of {Name, Soft, Hard}"

static int create_fields_ulimit(const struct create_words *w, const struct create_field *f,
				const struct json *item)
{
	const struct json *soft = answer_member(item, "Soft");
	const struct json *hard = answer_member(item, "Hard");
	double low;
	double high;

	if (!soft || !hard || json_double(soft, &low) || json_double(hard, &high))
		return create_wrong(w, f, ULIMITS);
	list_addf(w->out, "--%s=%s=%" PRId64 ":%" PRId64, f->flag, answer_member_text(item, "Name"),
		  (int64_t)low, (int64_t)high);
	return 0;
}

static int create_fields_ulimits(const struct create_words *w, const struct create_field *f,
				 const struct json *value)
{
	return create_each(w, f, value, ULIMITS, create_fields_ulimit);
}

/*
 * The command reads a file where the Engine has its text. Who asks over the socket is often a
 * library: what its user does not see must not take the filter away.
 */
static int create_fields_option(const struct create_words *w, const struct create_field *f,
				const struct json *item)
{
	static const char seccomp[] = "seccomp";
	const char *text = json_string(item);
	const char *profile = text + strlen(seccomp);

	if (!strncmp(text, seccomp, strlen(seccomp)) && (*profile == '=' || *profile == ':') &&
	    strcmp(profile + 1, "builtin") != 0)
		return err_input(w->e,
				 "SecurityOpt: over the socket seccomp is builtin: docker create "
				 "--security-opt seccomp=FILE takes another");
	return create_fields_add(w, f, text), 0;
}

static int create_fields_security(const struct create_words *w, const struct create_field *f,
				  const struct json *value)
{
	return create_fields_list(w, f, value, create_fields_option);
}

/* testcontainers starts a container that would hold the socket. */
static int create_fields_bind(const struct create_words *w, const struct create_field *f,
			      const struct json *item)
{
	const char *text = json_string(item);

	if (create_is_relative(text))
		return create_wrong(w, f,
				    "a list whose sources are absolute paths or names of volumes");
	if (strstr(text, "docker.sock"))
		return err_input(w->e,
				 "%s: the Engine's socket is not shown to a sandbox: set "
				 "TESTCONTAINERS_RYUK_DISABLED=true, if testcontainers asks for it",
				 f->member);
	return create_fields_add(w, f, text), 0;
}

static int create_fields_binds(const struct create_words *w, const struct create_field *f,
			       const struct json *value)
{
	return create_fields_list(w, f, value, create_fields_bind);
}

static void create_fields_port(const struct create_words *w, const struct create_field *f,
			       const char *port, const struct json *place)
{
	const char *address = answer_member_text(place, "HostIp");
	const bool six = strchr(address, ':');

	list_addf(w->out, "--%s=%s%s%s%s%s:%s", f->flag, six ? "[" : "", address, six ? "]" : "",
		  *address ? ":" : "", answer_member_text(place, "HostPort"), port);
}

static int create_fields_ports(const struct create_words *w, const struct create_field *f,
			       const struct json *value)
{
	if (!json_is_object(value))
		return create_wrong(w, f, "an object of lists");
	for (const struct json *port = json_first(value); port; port = json_next(port)) {
		for (const struct json *b = json_is_array(port) ? json_first(port) : NULL; b;
		     b = json_next(b))
			create_fields_port(w, f, json_key(port), b);
	}
	return 0;
}

#define OBJECTS "a list of objects"

/* Each says that something of this machine is asked for: the command refuses it. */
static int create_fields_device(const struct create_words *w, const struct create_field *f,
				const struct json *item)
{
	const char *path = answer_member_text(item, "PathOnHost");

	if (!json_is_object(item))
		return create_wrong(w, f, OBJECTS);
	create_fields_add(w, f, *path ? path : answer_member_text(item, "Path"));
	return 0;
}

static int create_fields_devices(const struct create_words *w, const struct create_field *f,
				 const struct json *value)
{
	return create_each(w, f, value, OBJECTS, create_fields_device);
}

static int create_fields_requests(const struct create_words *w, const struct create_field *f,
				  const struct json *value)
{
	if (!json_is_array(value))
		return create_wrong(w, f, OBJECTS);
	if (json_count(value))
		create_fields_add(w, f, "all");
	return 0;
}

/* -- the tables ------------------------------------------------------------------------------ */

/* clang-format off */
const struct create_field create_fields[] = {
	{"Domainname",      create_fields_text,       "domainname",   false},
	{"Env",             create_fields_env,        "env",          false},
	{"Hostname",        create_fields_text,       "hostname",     false},
	{"Labels",          create_fields_pairs,      "label",        false},
	{"MacAddress",      create_fields_text,       "mac-address",  false},
	{"NetworkDisabled", create_fields_no_network, "network",      false},
	{"OpenStdin",       create_fields_true,       "interactive",  false},
	{"StopSignal",      create_fields_text,       "stop-signal",  false},
	{"StopTimeout",     create_fields_number,     "stop-timeout", false},
	{"Tty",             create_fields_true,       "tty",          false},
	{"User",            create_fields_text,       "user",         false},
	{"WorkingDir",      create_fields_text,       "workdir",      false},
	{NULL,              NULL,                    NULL,           false},
};

const struct create_field create_host_fields[] = {
	{"Annotations",       create_fields_pairs,    "annotation",         false},
	{"AutoRemove",        create_fields_true,     "rm",                 false},
	{"Binds",             create_fields_binds,    "volume",             false},
	{"BlkioDeviceReadBps", create_fields_devices, "device-read-bps",    true},
	{"BlkioDeviceReadIOps", create_fields_devices, "device-read-iops",  true},
	{"BlkioDeviceWriteBps", create_fields_devices, "device-write-bps",  true},
	{"BlkioDeviceWriteIOps", create_fields_devices, "device-write-iops", true},
	{"BlkioWeight",       create_fields_number,   "blkio-weight",       true},
	{"BlkioWeightDevice", create_fields_devices,  "blkio-weight-device", true},
	{"CapAdd",            create_fields_texts,    "cap-add",            false},
	{"CapDrop",           create_fields_texts,    "cap-drop",           false},
	{"CgroupParent",      create_fields_text,     "cgroup-parent",      true},
	{"CgroupnsMode",      create_fields_text,     "cgroupns",           false},
	{"CpuCount",          create_fields_number,   "cpu-count",          false},
	{"CpuPercent",        create_fields_number,   "cpu-percent",        false},
	{"CpuPeriod",         create_fields_number,   "cpu-period",         true},
	{"CpuQuota",          create_fields_number,   "cpu-quota",          true},
	{"CpuRealtimePeriod", create_fields_number,   "cpu-rt-period",      true},
	{"CpuRealtimeRuntime", create_fields_number,  "cpu-rt-runtime",     true},
	{"CpuShares",         create_fields_number,   "cpu-shares",         true},
	{"CpusetCpus",        create_fields_text,     "cpuset-cpus",        true},
	{"CpusetMems",        create_fields_text,     "cpuset-mems",        true},
	{"DeviceCgroupRules", create_fields_texts,    "device-cgroup-rule", false},
	{"DeviceRequests",    create_fields_requests, "gpus",               false},
	{"Devices",           create_fields_devices,  "device",             false},
	{"Dns",               create_fields_texts,    "dns",                false},
	{"DnsOptions",        create_fields_texts,    "dns-option",         false},
	{"DnsSearch",         create_fields_texts,    "dns-search",         false},
	{"ExtraHosts",        create_fields_texts,    "add-host",           false},
	{"GroupAdd",          create_fields_texts,    "group-add",          false},
	{"Init",              create_fields_true,     "init",               false},
	{"IpcMode",           create_fields_text,     "ipc",                false},
	{"Isolation",         create_fields_text,     "isolation",          false},
	{"KernelMemory",      create_fields_number,   "kernel-memory",      true},
	{"Links",             create_fields_texts,    "link",               false},
	{"LogConfig",         create_fields_log,      "log-driver",         false},
	{"Memory",            create_fields_number,   "memory",             true},
	{"MemoryReservation", create_fields_number,   "memory-reservation", true},
	{"MemorySwap",        create_fields_number,   "memory-swap",        true},
	{"MemorySwappiness",  create_fields_number,   "memory-swappiness",  false},
	{"Mounts",            create_mounts,          "mount",              false},
	{"NanoCpus",          create_fields_nano,     "cpus",               true},
	{"NetworkMode",       create_fields_network,  "network",            false},
	{"OomKillDisable",    create_fields_true,     "oom-kill-disable",   false},
	{"OomScoreAdj",       create_fields_number,   "oom-score-adj",      false},
	{"PidMode",           create_fields_text,     "pid",                false},
	{"PidsLimit",         create_fields_number,    "pids-limit",         true},
	{"PortBindings",      create_fields_ports,    "publish",            false},
	{"Privileged",        create_fields_true,     "privileged",         false},
	{"PublishAllPorts",   create_fields_true,     "publish-all",        false},
	{"ReadonlyRootfs",    create_fields_true,     "read-only",          false},
	{"RestartPolicy",     create_fields_restart,  "restart",            true},
	{"Runtime",           create_fields_text,     "runtime",            false},
	{"SecurityOpt",       create_fields_security, "security-opt",       false},
	{"ShmSize",           create_fields_number,   "shm-size",           false},
	{"StorageOpt",        create_fields_pairs,    "storage-opt",        false},
	{"Sysctls",           create_fields_pairs,    "sysctl",             false},
	{"Tmpfs",             create_fields_paths,    "tmpfs",              false},
	{"UTSMode",           create_fields_text,     "uts",                false},
	{"Ulimits",           create_fields_ulimits,  "ulimit",             false},
	{"UsernsMode",        create_fields_text,     "userns",             false},
	{"VolumeDriver",      create_fields_text,     "volume-driver",      false},
	{"VolumesFrom",       create_fields_texts,    "volumes-from",       false},
	{NULL,                NULL,                  NULL,                 false},
};
/* clang-format on */
