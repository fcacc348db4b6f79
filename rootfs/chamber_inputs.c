/*
 * chamber_inputs - open the caller's files to be copied into a chamber.
 */
#include "chamber_inputs.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/names.h"
#include "base/own.h"

#define RESOLVER "/etc/resolv.conf"

static void chamber_inputs_add_copy(struct chamber_root *r, int fd, const char *target)
{
	r->copies = own_grow(r->copies, r->copy_count, sizeof(*r->copies));
	r->copies[r->copy_count++] = (struct chamber_copy){.target = target, .fd = fd};
}

static int chamber_inputs_add_file(struct chamber_root *r, int dir_fd, const char *path,
				   const char *target, struct err *e)
{
	auto_fd int fd = openat(dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %.200s", path);
	if (S_ISREG(st.st_mode))
		chamber_inputs_add_copy(r, take_fd(&fd), target);
	return 0;
}

static char *chamber_inputs_below_inputs(const char *name, const char *file)
{
	return own_printf("%s%s%s/%s", CHAMBER_INPUTS + 1, *name ? "/" : "", name, file);
}

static int chamber_inputs_add_directory(struct chamber_root *r, const char *path, const char *name,
					struct err *e)
{
	auto_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_list struct list names = {0};

	if (fd < 0 || names_read(fd, SIZE_MAX, &names) < 0)
		return err_sys(e, "open %.200s", path);
	for (size_t i = 0; i < names.count; i++) {
		const char *file = names.items[i];

		if (*file != '.' &&
		    chamber_inputs_add_file(r, fd, file, chamber_inputs_below_inputs(name, file),
					    e))
			return -1;
	}
	return 0;
}

/* Often a link to a file below /run, which a chamber lacks. */
static int chamber_inputs_add_resolver(struct chamber_root *r, struct err *e)
{
	auto_free char *path = realpath(RESOLVER, NULL);

	if (!path || !strncmp(path, "/etc/", 5) || !strncmp(path, "/usr/", 5))
		return 0;
	return chamber_inputs_add_file(r, AT_FDCWD, path, own_strdup(path + 1), e);
}

int chamber_inputs_open(struct chamber_root *r, const struct chamber_inputs *inputs, struct err *e)
{
	struct rlimit files;

	/* Each file has a descriptor until it is copied. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	for (size_t i = 0; i < inputs->directories.count; i++) {
		if (chamber_inputs_add_directory(r, inputs->directories.items[i],
						 inputs->names.items[i], e))
			return -1;
	}
	for (size_t i = 0; i < inputs->files.count; i++) {
		if (chamber_inputs_add_file(
			    r, AT_FDCWD, inputs->files.items[i],
			    chamber_inputs_below_inputs("", inputs->file_names.items[i]), e))
			return -1;
	}
	return chamber_inputs_add_resolver(r, e);
}
