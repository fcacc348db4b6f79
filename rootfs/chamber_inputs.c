/*
 * chamber_inputs - the files of the caller that are copied into a chamber.
 */
#include "chamber_inputs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

#define RESOLVER "/etc/resolv.conf"

static void add_copy(struct chamber_root *r, int fd, const char *target)
{
	r->copies = reallocarray(r->copies, r->copy_count + 1, sizeof(*r->copies));
	if (!r->copies)
		abort();
	r->copies[r->copy_count++] = (struct chamber_copy){.target = target, .fd = fd};
}

static int add_file(struct chamber_root *r, int dir_fd, const char *path, const char *target,
		    struct err *e)
{
	auto_fd int fd = openat(dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %.200s", path);
	if (S_ISREG(st.st_mode))
		add_copy(r, take_fd(&fd), target);
	return 0;
}

static char *below_inputs(const char *name, const char *file)
{
	char *target;

	if (asprintf(&target, "%s%s%s/%s", CHAMBER_INPUTS + 1, *name ? "/" : "", name, file) < 0)
		abort();
	return target;
}

static int add_directory(struct chamber_root *r, const char *path, const char *name, struct err *e)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int status = 0;

	if (!dir)
		return err_sys(e, "open %.200s", path);
	while (!status && (entry = readdir(dir))) {
		if (*entry->d_name != '.')
			status = add_file(r, dirfd(dir), entry->d_name,
					  below_inputs(name, entry->d_name), e);
	}
	closedir(dir);
	return status;
}

/* A link to below /run, often; elsewhere than in what is shown. */
static int add_resolver(struct chamber_root *r, struct err *e)
{
	auto_free char *path = realpath(RESOLVER, NULL);

	if (!path || !strncmp(path, "/etc/", 5) || !strncmp(path, "/usr/", 5))
		return 0;
	return add_file(r, AT_FDCWD, path, own_strdup(path + 1), e);
}

int chamber_inputs_open(struct chamber_root *r, const struct chamber_inputs *inputs, struct err *e)
{
	struct rlimit files;

	/* One descriptor per file, until it is copied. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	for (size_t i = 0; i < inputs->directories.count; i++) {
		if (add_directory(r, inputs->directories.items[i], inputs->names.items[i], e))
			return -1;
	}
	if (inputs->certificate && add_file(r, AT_FDCWD, inputs->certificate,
					    own_strdup(CHAMBER_INPUTS "/certificates.pem" + 1), e))
		return -1;
	return add_resolver(r, e);
}
