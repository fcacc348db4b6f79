/*
 * scratch - the directory of the host in which a Debian root is made, step by step.
 */
#include "scratch.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/own.h"
#include "chamber.h"

#define MEMINFO_MAX_BYTES (64u << 10)
#define MEMORY_MIN_KB     (4u << 20) /* the python image takes 1.2 GB with its packages */

static bool memory_to_spare(void)
{
	unsigned long long available = 0;
	auto_buf struct buf text = {0};
	struct err ignored;
	const char *line;

	if (io_read_file(AT_FDCWD, "/proc/meminfo", MEMINFO_MAX_BYTES, &text, &ignored))
		return false;
	line = strstr(buf_string(&text), "MemAvailable:");
	if (line)
		available = strtoull(line + strlen("MemAvailable:"), NULL, 10);
	return available >= MEMORY_MIN_KB;
}

/*
 * dpkg syncs its database after every package, which makes a build wait minutes
 * for the disk. Without the right to mount, the build only takes longer.
 */
static bool mount_memory(const char *path)
{
	return geteuid() == 0 && memory_to_spare() && !unshare(CLONE_NEWNS) &&
	       !mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) &&
	       !mount("glovebox-build", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700,size=75%");
}

int scratch_make(struct scratch *out, const struct subids *ids, struct err *e)
{
	const char *parent = getenv("TMPDIR");
	auto_fd int fd = -1;

	*out = (struct scratch){0};
	if (asprintf(&out->top, "%s/glovebox-build-XXXXXX",
		     parent && *parent == '/' ? parent : "/tmp") < 0)
		abort();
	if (!mkdtemp(out->top)) {
		err_sys(e, "make %s (TMPDIR names another place)", out->top);
		own_free(&out->top);
		return -1;
	}
	out->in_memory = mount_memory(out->top);
	if (asprintf(&out->build, "%s/build", out->top) < 0)
		abort();
	/* Nobody else gets below the directory above, which is 0700: this one is for whom we let
	 * in. */
	if (!mkdir(out->build, 0700))
		fd = open(out->build, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && !fchmod(fd, 0777))
		return 0;
	err_sys(e, "make %s", out->build);
	scratch_remove(out, ids);
	return -1;
}

/* The ids of the build own what is in there: one of them removes it. */
static void empty(const struct scratch *s, const struct subids *ids)
{
	static const char *const argv[] = {"find",      CHAMBER_BUILD, "-xdev",
					   "-mindepth", "1",           "-delete"};
	struct chamber_inputs inputs = {.build = s->build};
	struct chamber_step step = {.name = "clean", .ids = ids, .inputs = &inputs, .cleans = true};
	struct err ignored;

	for (size_t i = 0; i < sizeof(argv) / sizeof(argv[0]); i++)
		list_add(&step.argv, argv[i]);
	list_add(&step.env, "PATH=/usr/sbin:/usr/bin:/sbin:/bin");
	chamber_run(&step, &ignored);
	list_fini(&step.argv);
	list_fini(&step.env);
}

void scratch_remove(struct scratch *s, const struct subids *ids)
{
	if (!s->top)
		return;
	if (s->in_memory)
		umount2(s->top, MNT_DETACH);
	else {
		empty(s, ids);
		rmdir(s->build);
	}
	if (rmdir(s->top))
		fprintf(stderr, "glovebox: %s is left, remove it\n", s->top);
	own_free(&s->build);
	own_free(&s->top);
}
