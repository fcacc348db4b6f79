/*
 * exec - replace the confined process by the program.
 */
#include "inside/exec.h"

#include "inside/confine.h"
#include "inside/sys.h"

#define PATH_BYTES 4096

/* Clients of Docker choose their exit status, 127 or 126, by these words. */
static int exec_refuse(struct err *e, long n, const char *name)
{
	const bool missing = n == -ENOENT || n == -ENOTDIR;

	if (missing)
		inside_fail(e, 0, "exec: no such file or directory:", name);
	else if (n == -EACCES)
		inside_fail(e, 0, "exec: permission denied:", name);
	else
		inside_fail(e, n, "exec", name);
	e->kind = missing ? ERR_NOT_FOUND : ERR_DENIED;
	return -1;
}

/* dir[0..length) "/" name into out; 0 when it does not fit. */
static size_t exec_join(char *out, const char *dir, size_t length, const char *name)
{
	size_t name_length = sys_strlen(name);
	size_t i;

	if (length + name_length + 2 > PATH_BYTES)
		return 0;
	for (i = 0; i < length; i++)
		out[i] = dir[i];
	out[i++] = '/';
	for (size_t j = 0; j <= name_length; j++)
		out[i + j] = name[j];
	return i + name_length;
}

int inside_exec(const struct inside_plan *plan, struct err *e)
{
	const char *name = plan->argv[0];
	const char *p = plan->search_path;
	long denied = 0;
	long n;

	for (const char *c = name; *c; c++) {
		if (*c == '/') {
			n = sys3(__NR_execve, name, plan->argv, plan->envp);
			return exec_refuse(e, n, name);
		}
	}
	for (; *name && *p; p += *p == ':') {
		char path[PATH_BYTES];
		size_t length = 0;

		while (p[length] && p[length] != ':')
			length++;
		if (length && exec_join(path, p, length, name)) {
			n = sys3(__NR_execve, path, plan->argv, plan->envp);
			if (n != -ENOENT && n != -ENOTDIR)
				denied = n;
		}
		p += length;
	}
	if (denied)
		return exec_refuse(e, denied, name);
	inside_fail(e, 0, "exec: executable file not found in $PATH:", name);
	e->kind = ERR_NOT_FOUND;
	return -1;
}
