/*
 * limit_flags - limits that are not plain numbers: lists of CPUs, and ulimits.
 */
#include "spec/limit_flags.h"

#include <ctype.h>
#include <string.h>

#include "base/parse.h"

/* "0-2,4": digits, dashes and commas in the kernel's list format (cpuset(7)). */
int limit_flag_cpuset(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
	const char *p = value;

	if (strspn(value, "0123456789-,") != strlen(value))
		return err_input(e, "\"%.100s\" is not a list of CPUs such as 0-2,4", value);
	do {
		int64_t low = -1;
		int64_t high;
		char *range = spec_strndup(s, p, strcspn(p, ","));
		char *dash = strchr(range, '-');

		if (dash)
			*dash++ = '\0';
		if (parse_int(range, 0, 8191, &low, e) ||
		    parse_int(dash ? dash : range, low, 8191, &high, e))
			return err_input(e, "\"%.100s\" is not a list of CPUs such as 0-2,4",
					 value);
		p += strcspn(p, ",");
	} while (*p++ == ',');
	s->limits.cpuset = spec_strdup(s, value);
	return 0;
}

static int limit_flags_ulimit_resource(const char *name)
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

static int limit_flags_ulimit_value(const char *text, rlim_t *out, struct err *e)
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

int limit_flag_ulimit(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
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
	resource = limit_flags_ulimit_resource(name);
	if (resource < 0)
		return err_input(
			e, "\"%.50s\" is not a limit: nofile, fsize, nproc, cpu, as, stack, ...",
			name);
	if (limit_flags_ulimit_value(soft, &limit.rlim_cur, e) ||
	    limit_flags_ulimit_value(hard ? hard : soft, &limit.rlim_max, e))
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
