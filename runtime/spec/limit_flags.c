/*
 * limit_flags - memory, cpu, pids, time and ulimits into struct limits.
 */
#include "spec/limit_flags.h"

#include <ctype.h>
#include <string.h>

#include "base/parse.h"

#define MIB        (1024ull * 1024)
#define MAX_BYTES  (1ull << 50)
#define MAX_TIME   (366ull * 24 * 3600 * 1000)
#define MIN_MEMORY (6 * MIB) /* Docker's own minimum */

int limit_flag_memory(struct sandbox_spec *s, const char *value, struct err *e)
{
	uint64_t bytes;

	if (parse_size(value, 0, MAX_BYTES, &bytes, e))
		return -1;
	if (bytes && bytes < MIN_MEMORY)
		return err_input(e, "%.50s is too little: the minimum is 6m, and 0 means no limit",
				 value);
	s->limits.memory_bytes = bytes ? bytes : SPEC_UNLIMITED;
	return 0;
}

int limit_flag_memory_swap(struct sandbox_spec *s, const char *value, struct err *e)
{
	s->limits.swap_total_given = true;
	s->limits.swap_total_bytes = SPEC_UNLIMITED;
	if (!strcmp(value, "-1"))
		return 0;
	return parse_size(value, 0, MAX_BYTES, &s->limits.swap_total_bytes, e);
}

int limit_flag_cpus(struct sandbox_spec *s, const char *value, struct err *e)
{
	uint64_t milli;

	if (parse_decimal(value, 3, 1024ull * 1000, &milli, e))
		return -1;
	if (milli && milli < 10)
		return err_input(
			e, "%.50s is too little: the minimum is 0.01, and 0 means no limit", value);
	s->limits.cpus_given = true;
	s->limits.cpus_milli = milli;
	return 0;
}

int limit_flag_cpu_period(struct sandbox_spec *s, const char *value, struct err *e)
{
	int64_t us;

	if (parse_int(value, 1000, 1000000, &us, e))
		return -1;
	s->limits.cpu_period_us = (uint64_t)us;
	s->limits.period_given = true;
	return 0;
}

int limit_flag_cpu_quota(struct sandbox_spec *s, const char *value, struct err *e)
{
	int64_t us;

	if (parse_int(value, -1, 1ll << 40, &us, e))
		return -1;
	if (us > 0 && us < 1000)
		return err_input(e, "%.50s is too little: the minimum is 1000 microseconds", value);
	s->limits.cpu_quota_us = us > 0 ? (uint64_t)us : SPEC_UNLIMITED;
	s->limits.quota_given = true;
	return 0;
}

/* "0-2,4": digits, dashes and commas in the kernel's list format (cpuset(7)). */
int limit_flag_cpuset(struct sandbox_spec *s, const char *value, struct err *e)
{
	const char *p = value;

	if (strspn(value, "0123456789-,") != strlen(value))
		return err_input(e, "\"%.100s\" is no list of cpus such as 0-2,4", value);
	do {
		int64_t low = -1;
		int64_t high;
		char *range = spec_strndup(s, p, strcspn(p, ","));
		char *dash = strchr(range, '-');

		if (dash)
			*dash++ = '\0';
		if (parse_int(range, 0, 8191, &low, e) ||
		    parse_int(dash ? dash : range, low, 8191, &high, e))
			return err_input(e, "\"%.100s\" is no list of cpus such as 0-2,4", value);
		p += strcspn(p, ",");
	} while (*p++ == ',');
	s->limits.cpuset = spec_strdup(s, value);
	return 0;
}

int limit_flag_pids(struct sandbox_spec *s, const char *value, struct err *e)
{
	int64_t count;

	if (parse_int(value, -1, 4194304, &count, e))
		return -1;
	s->limits.pids = count > 0 ? (uint64_t)count : SPEC_UNLIMITED;
	return 0;
}

int limit_flag_timeout(struct sandbox_spec *s, const char *value, struct err *e)
{
	return parse_duration(value, 1, MAX_TIME, &s->limits.wall_time_ms, e);
}

int limit_flag_cpu_time(struct sandbox_spec *s, const char *value, struct err *e)
{
	return parse_duration(value, 1, MAX_TIME, &s->limits.cpu_time_ms, e);
}

int limit_flag_output(struct sandbox_spec *s, const char *value, struct err *e)
{
	return parse_size(value, 0, MAX_BYTES, &s->limits.output_bytes, e);
}

int limit_flag_shm(struct sandbox_spec *s, const char *value, struct err *e)
{
	return parse_size(value, 4096, MAX_BYTES, &s->limits.shm_bytes, e);
}

static int ulimit_resource(const char *name)
{
	static const struct {
		const char *name;
		int resource;
	} table[] = {
		{"core",       RLIMIT_CORE      },
                {"cpu",        RLIMIT_CPU       },
		{"data",       RLIMIT_DATA      },
                {"fsize",      RLIMIT_FSIZE     },
		{"locks",      RLIMIT_LOCKS     },
                {"memlock",    RLIMIT_MEMLOCK   },
		{"msgqueue",   RLIMIT_MSGQUEUE  },
                {"nice",       RLIMIT_NICE      },
		{"nofile",     RLIMIT_NOFILE    },
                {"nproc",      RLIMIT_NPROC     },
		{"rss",        RLIMIT_RSS       },
                {"rtprio",     RLIMIT_RTPRIO    },
		{"rttime",     RLIMIT_RTTIME    },
                {"sigpending", RLIMIT_SIGPENDING},
		{"stack",      RLIMIT_STACK     },
                {"as",         RLIMIT_AS        },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!strcmp(table[i].name, name))
			return table[i].resource;
	}
	return -1;
}

static int ulimit_value(const char *text, rlim_t *out, struct err *e)
{
	int64_t value;

	if (!strcmp(text, "-1") || !strcmp(text, "unlimited")) {
		*out = RLIM_INFINITY;
		return 0;
	}
	if (parse_int(text, 0, INT64_MAX, &value, e))
		return -1;
	*out = (rlim_t)value;
	return 0;
}

int limit_flag_ulimit(struct sandbox_spec *s, const char *value, struct err *e)
{
	char *name = spec_strdup(s, value);
	char *soft = strchr(name, '=');
	char *hard;
	struct rlimit limit;
	int resource;

	if (!soft)
		return err_input(e, "\"%.100s\" is not of the form nofile=1024:2048", value);
	*soft++ = '\0';
	hard = strchr(soft, ':');
	if (hard)
		*hard++ = '\0';
	resource = ulimit_resource(name);
	if (resource < 0)
		return err_input(e,
				 "\"%.50s\" is no limit: nofile, fsize, nproc, cpu, as, stack, ...",
				 name);
	if (ulimit_value(soft, &limit.rlim_cur, e) ||
	    ulimit_value(hard ? hard : soft, &limit.rlim_max, e))
		return -1;
	if (limit.rlim_cur > limit.rlim_max)
		return err_input(e, "%.100s: the soft limit is above the hard one", value);
	if (resource == RLIMIT_CORE && limit.rlim_cur < SPEC_NO_CORE)
		limit.rlim_cur = SPEC_NO_CORE;
	if (resource == RLIMIT_CORE && limit.rlim_max < SPEC_NO_CORE)
		limit.rlim_max = SPEC_NO_CORE;
	s->rlimits[resource] = (struct rlimit_spec){.set = true, .value = limit};
	return 0;
}
