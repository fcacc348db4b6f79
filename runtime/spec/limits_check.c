/*
 * limits_check - judge limits that did not come as flags: from a file, or from another process.
 */
#include "spec/limits_check.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "spec/run_settings.h"
#include "spec/setting_value.h"

#define LEAST_QUOTA_US 10 /* the least --cpus of the shortest period */

/* A limit, and the flag that it comes from. */
struct limits_check_row {
	const char *flag;
	size_t at;
	uint64_t min; /* 0: that of the flag */
};

static const struct setting *limits_check_flag(const char *name)
{
	const struct setting *row = run_settings;

	while (strcmp(row->name, name) != 0)
		row++;
	return row;
}

static int limits_check_one(const struct limits_check_row *x, uint64_t value, struct err *e)
{
	const struct setting *flag = limits_check_flag(x->flag);
	const uint64_t min = x->min ? x->min : (uint64_t)flag->min;
	auto_buf struct buf least = {0};
	auto_buf struct buf most = {0};

	if (value == SPEC_UNLIMITED && (flag->none || !flag->fallback))
		return 0;
	if (value >= min && value <= (uint64_t)flag->max)
		return 0;
	setting_value_write(flag, min, &least);
	setting_value_write(flag, (uint64_t)flag->max, &most);
	return err_input(e, "--%s: the value must be from %s to %s", flag->name, buf_string(&least),
			 buf_string(&most));
}

int limits_check(const struct limits *l, struct err *e)
{
	static const struct limits_check_row rows[] = {
		{"memory",       offsetof(struct limits, memory_bytes),  0             },
		{"memory-swap",  offsetof(struct limits, swap_bytes),    0             },
		{"pids-limit",   offsetof(struct limits, pids),          0             },
		{"cpu-quota",    offsetof(struct limits, cpu_quota_us),  LEAST_QUOTA_US},
		{"cpu-period",   offsetof(struct limits, cpu_period_us), 0             },
		{"timeout",      offsetof(struct limits, wall_time_ms),  0             },
		{"idle-timeout", offsetof(struct limits, idle_ms),       0             },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t *value = (const void *)((const char *)l + rows[i].at);

		if (limits_check_one(&rows[i], *value, e))
			return -1;
	}
	return 0;
}
