/*
 * policy - the ceilings of a machine and of a caller: /etc/glovebox/policy.d/NAME.json, and one
 * file more.
 */
#include "spec/policy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/list.h"
#include "base/own.h"
#include "fs/names.h"
#include "spec/run_settings.h"
#include "spec/setting_ceiling.h"
#include "spec/setting_sources.h"
#include "spec/setting_value.h"

#define MOST_FILES 1000

/* -- reading the files ----------------------------------------------------------------------- */

static int policy_refuse_looser(const struct policy *p, const struct setting *row, uint64_t value,
				struct err *e)
{
	const struct settings settings = settings_of_caller(NULL);
	auto_buf struct buf path = {0};
	auto_buf struct buf given = {0};
	auto_buf struct buf most = {0};

	setting_json_path(&settings, row, &path);
	setting_value_write(row, value, &given);
	setting_value_write(row, *setting_ceiling_field(&p->ceiling, row), &most);
	return err_input(e, "\"%s\": %s is more than %s in %s, and a file can only tighten",
			 buf_string(&path), buf_string(&given), buf_string(&most),
			 p->from[row - run_settings]);
}

static int policy_tighten(struct policy *p, const struct sandbox_spec *by, const char *file,
			  struct err *e)
{
	const struct setting *given = NULL;

	while ((given = setting_next_given(run_settings, by->given, given))) {
		uint64_t *most = setting_ceiling_field(&p->ceiling, given);
		uint64_t value = *setting_ceiling_field(by, given);

		if (value > *most)
			return policy_refuse_looser(p, given, value, e);
		if (value == *most)
			continue;
		*most = value;
		p->from[given - run_settings] = file;
	}
	return 0;
}

/* @users: it may be the user's. */
static int policy_read_file(struct policy *p, int dir_fd, const char *name, const char *path,
			    bool users, struct err *e)
{
	auto_fd int fd = policy_file_open(dir_fd, name, S_IFREG, users, e);
	struct policy_file *f;

	if (fd < 0)
		return err_prefix(e, "%.300s", path);
	p->files = own_grow(p->files, p->file_count, sizeof(*p->files));
	f = &p->files[p->file_count++];
	return policy_file_read(fd, path, f, e) || policy_tighten(p, &f->said, f->path, e)
		       ? err_prefix(e, "%.300s", path)
		       : 0;
}

static bool policy_is_file(const char *name)
{
	size_t length = strlen(name);

	return name[0] != '.' && length > 5 && !strcmp(name + length - 5, ".json");
}

static int policy_read_directory(struct policy *p, int dir_fd, struct err *e)
{
	auto_list struct list names = {0};
	int more = names_read(dir_fd, MOST_FILES, &names);

	if (more < 0)
		return err_sys(e, "read %s", POLICY_DIRECTORY);
	if (more)
		return err_input(e, "%s has more than %d files", POLICY_DIRECTORY, MOST_FILES);
	for (size_t i = 0; i < names.count; i++) {
		auto_free char *path = own_printf("%s/%s", POLICY_DIRECTORY, names.items[i]);

		if (policy_is_file(names.items[i]) &&
		    policy_read_file(p, dir_fd, names.items[i], path, false, e))
			return -1;
	}
	return 0;
}

static int policy_read_machines(struct policy *p, struct err *e)
{
	auto_fd int fd = policy_file_open(AT_FDCWD, POLICY_DIRECTORY, S_IFDIR, false, e);

	if (fd >= 0)
		return policy_read_directory(p, fd, e);
	return e->kind == ERR_SYSTEM && e->number == ENOENT ? 0
							    : err_prefix(e, "%s", POLICY_DIRECTORY);
}

/* An absolute path: `start` reads the words of a record in the directory in which they were said.
 */
static int policy_read_callers(struct policy *p, struct err *e)
{
	const char *path = getenv(POLICY_VARIABLE);

	if (!path)
		return 0;
	if (*path != '/')
		return err_input(e, POLICY_VARIABLE ": \"%.200s\": it must be an absolute path",
				 path);
	return policy_read_file(p, AT_FDCWD, path, path, true, e);
}

int policy_read(struct policy *out, struct err *e)
{
	*out = (struct policy){0};
	for (const struct setting *row = run_settings; row->name; row++) {
		if (row->ceiling)
			*setting_ceiling_field(&out->ceiling, row) = SPEC_UNLIMITED;
	}
	if (!policy_read_machines(out, e) && !policy_read_callers(out, e))
		return 0;
	policy_fini(out);
	return -1;
}

void policy_fini(struct policy *p)
{
	for (size_t i = 0; i < p->file_count; i++)
		policy_file_fini(&p->files[i]);
	p->file_count = 0;
	own_free(&p->files);
}

/* -- applying them --------------------------------------------------------------------------- */

/* The row of run_settings whose ceiling also bounds this row; NULL: unbounded. */
static const struct setting *policy_row(const struct policy *p, const char *name)
{
	for (const struct setting *row = run_settings; row->name; row++) {
		if (p->from[row - run_settings] && !strcmp(row->name, name))
			return row;
	}
	return NULL;
}

static int policy_refuse(const struct policy *p, const char *name, const struct setting *row,
			 uint64_t asked, struct err *e)
{
	const uint64_t most = *setting_ceiling_field(&p->ceiling, row);
	auto_free char *flag = own_printf("--%s", name);
	auto_free char *where = own_printf(" in %s", p->from[row - run_settings]);

	return setting_ceiling_refuse(flag, row, asked, most, where, e);
}

static int policy_bound(const struct policy *p, const struct setting_table *table, struct err *e)
{
	for (const struct setting *row = table->rows; row->name; row++) {
		const struct setting *most = policy_row(p, row->name);
		uint64_t *value = (uint64_t *)((char *)table->target + row->at);

		if (!most || *value <= *setting_ceiling_field(&p->ceiling, most))
			continue;
		if (setting_given(table->rows, table->given, row->name))
			return policy_refuse(p, row->name, most, *value, e);
		*value = *setting_ceiling_field(&p->ceiling, most);
	}
	return 0;
}

/* --cpu-quota and --cpu-period are another way to say --cpus. */
static int policy_check_quota(const struct policy *p, const struct sandbox_spec *s, struct err *e)
{
	const struct setting *row = policy_row(p, "cpus");
	const struct limits *l = &s->limits;
	bool quota = setting_given(run_settings, s->given, "cpu-quota");
	uint64_t milli = 1000; /* the quota of a period given alone */

	if (!row || !(quota || setting_given(run_settings, s->given, "cpu-period")))
		return 0;
	if (quota)
		milli = l->cpu_quota_us == SPEC_UNLIMITED
				? SPEC_UNLIMITED
				: (l->cpu_quota_us * 1000 + l->cpu_period_us - 1) /
					  l->cpu_period_us;
	if (milli <= *setting_ceiling_field(&p->ceiling, row))
		return 0;
	return policy_refuse(p, quota ? "cpu-quota" : "cpu-period", row, milli, e);
}

/* --timeout includes the grace that follows it. */
static int policy_bound_grace(const struct policy *p, struct sandbox_spec *s, struct err *e)
{
	const struct setting *row = policy_row(p, "timeout");
	uint64_t *wall_ms = &s->limits.wall_time_ms;
	uint64_t most_ms;

	if (!row || !s->stop_timeout_ms)
		return 0;
	most_ms = *setting_ceiling_field(&p->ceiling, row);
	if (*wall_ms + s->stop_timeout_ms <= most_ms)
		return 0;
	if (s->stop_timeout_ms >= most_ms || setting_given(run_settings, s->given, "timeout"))
		return policy_refuse(p, "timeout and --stop-timeout together", row,
				     *wall_ms + s->stop_timeout_ms, e);
	*wall_ms = most_ms - s->stop_timeout_ms;
	return 0;
}

/* A tmpfs on /dev/shm is another way to say --shm-size. */
static int policy_check_shm(const struct policy *p, const struct sandbox_spec *s, struct err *e)
{
	const struct setting *row = policy_row(p, "shm-size");

	for (size_t i = 0; row && i < s->mount_count; i++) {
		const struct mount_spec *m = &s->mounts[i];

		if (m->kind == MOUNT_TMPFS && !strcmp(m->target, "/dev/shm") &&
		    m->size_bytes > *setting_ceiling_field(&p->ceiling, row))
			return policy_refuse(p, "tmpfs /dev/shm", row, m->size_bytes, e);
	}
	return 0;
}

int policy_apply(const struct setting_table *table, struct err *e)
{
	auto_policy struct policy p;

	return policy_read(&p, e) ? -1 : policy_bound(&p, table, e);
}

int policy_apply_to_spec(struct sandbox_spec *s, struct err *e)
{
	const struct setting_table table = run_settings_table(s);
	auto_policy struct policy p;

	return policy_read(&p, e) || policy_bound(&p, &table, e) || policy_check_quota(&p, s, e) ||
			       policy_bound_grace(&p, s, e) || policy_check_shm(&p, s, e) ||
			       policy_file_apply(p.files, p.file_count, s, e)
		       ? -1
		       : 0;
}

void policy_write(const struct policy *p, const char *between, struct buf *out)
{
	const char *before = "";

	for (const struct setting *row = run_settings; row->name; row++) {
		const char *file = p->from[row - run_settings];

		if (!file)
			continue;
		buf_printf(out, "%s%s ", before, row->name);
		setting_value_write(row, *setting_ceiling_field(&p->ceiling, row), out);
		buf_printf(out, " (%s)", file);
		before = between;
	}
	for (size_t i = 0; i < p->file_count; i++)
		policy_file_write(&p->files[i], out->length ? between : "", between, out);
}
